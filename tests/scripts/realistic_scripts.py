"""Writes scripts in the styles of users, with random parameters.

A style is a function that returns a script. It gets a `Parameters` object, which also writes files beside the script.
"""

import json
import os
import textwrap

import small_yaml

PRESETS = ["W8A8", "W4A16", "FP8", "FP8_DYNAMIC", "W8A16", "W4A16_ASYM", "INT8"]
IGNORED = ["lm_head", "re:.*gate$", "re:.*router.*", "re:vision_tower.*", "re:.*mlp.shared_expert_gate$", "model.embed_tokens", "re:.*layers.0.*"]
TARGETS = ["Linear", "re:.*self_attn.*", "re:.*mlp.*", "re:.*q_proj$", "re:.*down_proj$", "re:.*experts.*"]
STYLES = {}


def style(function):
    STYLES[function.__name__] = function
    return function


class Parameters:
    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder

    def one(self, *choices):
        return self.rng.choice(choices)

    def preset(self):
        return self.rng.choice(PRESETS)

    def two_presets(self):
        return self.rng.sample(PRESETS, 2)

    def ignored(self, least=1):
        return self.rng.sample(IGNORED, self.rng.randint(least, 3))

    def targets(self, least=1):
        return self.rng.sample(TARGETS, self.rng.randint(least, 3))

    def modifier(self):
        return self.one("GPTQModifier", "QuantizationModifier")

    def fraction(self):
        return self.one(0.1, 0.5, 0.8, 0.85, 0.9)

    def group(self):
        return self.one(32, 64, 128)

    def bits(self):
        return self.one(4, 8)

    def calibration(self):
        """Arguments of `oneshot` besides the recipe."""
        return self.one("", ', dataset="open_platypus", num_calibration_samples=512', ", dataset=ds, max_seq_length=MAX_LENGTH", ', output_dir=SAVE_DIR')

    def call(self, value="recipe"):
        name = self.one("model=model", "model=MODEL_ID", "model")
        return f"oneshot({name}, recipe={value}{self.calibration()})"

    def file(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def script(p, body, imports="", load=True):
    """Adds imports and the usual code that loads a model and a dataset."""
    head = ['"""Compresses a model."""'] if p.rng.random() < 0.3 else []
    head += p.one(["from transformers import AutoModelForCausalLM, AutoTokenizer"], ["import torch", "from transformers import AutoTokenizer, AutoModelForCausalLM", "from datasets import load_dataset"])
    head += p.one(["from llmcompressor import oneshot"], ["from llmcompressor import oneshot", "from llmcompressor.utils import dispatch_for_generation"])
    head += p.one(["from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier"],
                  ["from llmcompressor.modifiers.quantization import QuantizationModifier", "from llmcompressor.modifiers.quantization import GPTQModifier"])
    head += ["from llmcompressor.modifiers.smoothquant import SmoothQuantModifier"]
    head += textwrap.dedent(imports).strip().splitlines()
    model = p.one("meta-llama/Llama-3.2-1B-Instruct", "Qwen/Qwen3-8B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0")
    head += ["", f'MODEL_ID = "{model}"', "MAX_LENGTH = 2048", 'SAVE_DIR = MODEL_ID.split("/")[1] + "-compressed"', "ds = None"]
    if load:
        head += ['model = AutoModelForCausalLM.from_pretrained(MODEL_ID, torch_dtype="auto")', "tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)"]
    if load and p.rng.random() < 0.3:
        head += ["", "def preprocess(example):", '    return {"text": tokenizer.apply_chat_template(example["messages"], tokenize=False)}', ""]
    tail = p.one([], ["model.save_pretrained(SAVE_DIR, save_compressed=True)", "tokenizer.save_pretrained(SAVE_DIR)"],
                 ['print("========== SAMPLE ==========")']) if load else []
    return "\n".join(head) + "\n\n" + textwrap.dedent(body).strip("\n") + "\n\n" + "\n".join(tail) + "\n"


def yaml_of(p, modifiers=None):
    """Returns a recipe in YAML."""
    name = p.modifier()
    fields = {"ignore": p.ignored(), "scheme": p.preset(), "targets": p.targets()}
    modifiers = modifiers or ({"SmoothQuantModifier": {"smoothing_strength": p.fraction()}} if p.rng.random() < 0.3 else {}) | {name: fields}
    return small_yaml.dump({p.one("quant_stage", "default_stage"): {p.one("quant_modifiers", "quantization_modifiers"): modifiers}}, sort_keys=False)


def indent(text, by):
    return textwrap.indent(text, " " * by).lstrip()


@style
def inline(p):
    return script(p, f"recipe = {p.modifier()}(targets=\"Linear\", scheme={p.preset()!r}, ignore={p.ignored()!r})\n{p.call()}")


@style
def inline_in_call(p):
    return script(p, p.call(f"[\n    SmoothQuantModifier(smoothing_strength={p.fraction()}),\n    GPTQModifier(targets={p.targets()!r}, scheme={p.preset()!r}, ignore={p.ignored()!r}),\n]"))


@style
def list_of_two(p):
    return script(p, f"""
        recipe = [
            SmoothQuantModifier(smoothing_strength={p.fraction()}),
            GPTQModifier(
                targets="Linear",
                scheme={p.preset()!r},
                ignore={p.ignored()!r},
                dampening_frac={p.one(0.01, 0.05, 0.1)},
                block_size={p.group()},
            ),
        ]
        {p.call()}""")


@style
def main_function(p):
    return script(p, f"""
        def main():
            scheme = {p.preset()!r}
            ignore = {p.ignored()!r}
            recipe = {p.modifier()}(targets="Linear", scheme=scheme, ignore=ignore)
            {p.call()}


        if __name__ == "__main__":
            main()""")


@style
def main_with_parameters(p):
    return script(p, f"""
        def main(model_id: str = MODEL_ID, scheme: str = {p.preset()!r}, samples: int = 512) -> None:
            recipe = {p.modifier()}(targets={p.targets()!r}, scheme=scheme, ignore={p.ignored()!r})
            oneshot(model=model_id, dataset="ultrachat", recipe=recipe, num_calibration_samples=samples)


        if __name__ == "__main__":
            {p.one("main()", f"main(scheme={p.preset()!r})", f"main(MODEL_ID, {p.preset()!r})")}""")


@style
def argument_parser(p):
    return script(p, f"""
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default=MODEL_ID)
        parser.add_argument("--scheme", {p.one('', '"-s", ')}type=str, default={p.preset()!r}, help="preset")
        parser.add_argument("--strength", type=float, default={p.fraction()})
        parser.add_argument("--ignore", nargs="*", default={p.ignored()!r})
        parser.add_argument("--group-size", type=int, default={p.group()})
        args = parser.parse_args()
        recipe = [
            SmoothQuantModifier(smoothing_strength=args.strength),
            GPTQModifier(targets="Linear", scheme=args.scheme, ignore=args.ignore, block_size=args.group_size),
        ]
        oneshot(model=args.model, recipe=recipe)""", "import argparse")


@style
def argument_parser_in_function(p):
    first, second = p.two_presets()
    return script(p, f"""
        def parse_args():
            parser = argparse.ArgumentParser(description="Quantize")
            parser.add_argument("--int8", action="store_true")
            parser.add_argument("--no-ignore", dest="keep", action="store_false")
            return parser.parse_args()


        def main(args):
            scheme = {first!r} if args.int8 else {second!r}
            ignore = {p.ignored()!r} if args.keep else []
            {p.call(f'{p.modifier()}(targets="Linear", scheme=scheme, ignore=ignore)')}


        if __name__ == "__main__":
            main(parse_args())""", "import argparse")


@style
def dictionary_of_schemes(p):
    first, second = p.two_presets()
    return script(p, f"""
        SCHEMES = {{"int": {first!r}, "float": {second!r}}}
        kind = {p.one("int", "float")!r}
        recipe = {p.modifier()}(targets="Linear", scheme=SCHEMES[kind], ignore={p.ignored()!r})
        {p.call()}""")


@style
def dictionary_of_recipes(p):
    first, second = p.two_presets()
    return script(p, f"""
        RECIPES = {{
            "a": [QuantizationModifier(targets="Linear", scheme={first!r}, ignore={p.ignored()!r})],
            "b": [SmoothQuantModifier(smoothing_strength={p.fraction()}), GPTQModifier(targets="Linear", scheme={second!r})],
        }}
        for name, recipe in RECIPES.items():
            oneshot(model=MODEL_ID, recipe=recipe, output_dir=f"{{SAVE_DIR}}-{{name}}")""")


@style
def keywords(p):
    return script(p, f"""
        common = dict(targets={p.one('"Linear"', repr(p.targets()))}, ignore={p.ignored()!r})
        recipe = {p.modifier()}(scheme={p.preset()!r}, **common)
        {p.call()}""")


@style
def merged_keywords(p):
    merge = p.one("{**BASE, **CHANGES}", "BASE | CHANGES", "dict(BASE, **CHANGES)")
    return script(p, f"""
        BASE = {{"targets": "Linear", "ignore": {p.ignored()!r}, "scheme": {p.preset()!r}}}
        CHANGES = {{"scheme": {p.preset()!r}{p.one('', f', "targets": {p.targets()!r}')}}}
        settings = {merge}
        {p.one('', 'settings["ignore"] = settings["ignore"] + ["re:.*head$"]', 'settings.pop("ignore")', 'settings.update(ignore=["lm_head"])')}
        {p.call(f'{p.modifier()}(**settings)')}""")


@style
def loop_over_schemes(p):
    return script(p, f"""
        for scheme in {p.two_presets()!r}:
            recipe = {p.modifier()}(targets="Linear", scheme=scheme, ignore={p.ignored()!r})
            oneshot(model=MODEL_ID, recipe=recipe, output_dir=f"{{MODEL_ID.split('/')[-1]}}-{{scheme}}")""")


@style
def loop_with_skips(p):
    schemes = p.rng.sample(PRESETS, 3)
    return script(p, f"""
        DONE = {{{schemes[p.one(0, 1)]!r}}}
        for scheme in {schemes!r}:
            if scheme in DONE:
                {p.one("continue", "print('skip'); continue", "break")}
            {p.call(f'QuantizationModifier(targets="Linear", scheme=scheme, ignore={p.ignored()!r})')}""")


@style
def builder(p):
    return script(p, f"""
        def build_recipe(scheme, ignore=None, smooth={p.one(True, False)}):
            ignore = ignore {p.one('or', 'if ignore is not None else')} {p.ignored()!r}
            recipe = []
            if smooth:
                recipe.append(SmoothQuantModifier(smoothing_strength={p.fraction()}))
            recipe.append(GPTQModifier(targets="Linear", scheme=scheme, ignore=ignore))
            return recipe


        {p.call(f'build_recipe({p.preset()!r}{p.one("", ", " + repr(p.ignored()), ", smooth=True", ", ignore=" + repr(p.ignored()))})')}""")


@style
def selection_by_name(p):
    a, b = p.two_presets()
    return script(p, f"""
        def get_recipe(kind: str):
            # the recipe of a kind
            if kind == "a":
                return QuantizationModifier(targets="Linear", scheme={a!r}, ignore={p.ignored()!r})
            {p.one("elif", "if")} kind == "b":
                return GPTQModifier(targets={p.targets()!r}, scheme={b!r}, ignore={p.ignored()!r})
            raise ValueError(f"unknown {{kind}}")


        {p.call(f'get_recipe({p.one("a", "b")!r})')}""")


@style
def early_returns(p):
    a, b = p.two_presets()
    return script(p, f"""
        def pick(bits, floating=False):
            if bits == 4:
                return {a!r}
            if floating:
                return {b!r}
            return "W8A8"


        scheme = pick({p.bits()}{p.one('', ', True', ', floating=False')})
        {p.call(f'{p.modifier()}(targets="Linear", scheme=scheme, ignore=["lm_head"])')}""")


@style
def dataclass_config(p):
    use = p.one("Config()", f"Config(scheme={p.preset()!r})", f"Config({p.preset()!r}, strength={p.fraction()})")
    return script(p, f"""
        @dataclass{p.one('', '(frozen=True)')}
        class Config:
            scheme: str = {p.preset()!r}
            ignore: list[str] = field(default_factory=lambda: {p.ignored()!r})
            strength: float = {p.fraction()}


        config = {use}
        recipe = [
            SmoothQuantModifier(smoothing_strength=config.strength),
            GPTQModifier(targets="Linear", scheme=config.scheme, ignore=config.ignore),
        ]
        {p.call()}""", "from dataclasses import dataclass, field")


@style
def class_config(p):
    return script(p, f"""
        class Config:
            SCHEME = {p.preset()!r}
            IGNORE = {p.ignored()!r}
            TARGETS = {p.targets()!r}


        {p.one('', f'Config.SCHEME = {p.preset()!r}', 'cfg = Config()')}
        recipe = {p.modifier()}(targets=Config.TARGETS, scheme=Config.SCHEME, ignore=Config.IGNORE)
        {p.call()}""")


@style
def compressor_class(p):
    return script(p, f"""
        class Compressor:
            default_ignore = {p.ignored()!r}

            def __init__(self, model_id, scheme={p.preset()!r}, ignore=None):
                self.model_id = model_id
                self.scheme = scheme
                self.ignore = ignore or self.default_ignore

            def recipe(self):
                return {p.modifier()}(targets="Linear", scheme=self.scheme, ignore=self.ignore)

            def run(self):
                oneshot(model=self.model_id, recipe=self.recipe())


        {p.one('Compressor(MODEL_ID).run()', f'c = Compressor(MODEL_ID, {p.preset()!r}){chr(10)}        c.run()', f'Compressor(MODEL_ID, ignore={p.ignored()!r}).run()')}""")


@style
def partial_modifier(p):
    return script(p, f"""
        make = {p.one('functools.partial', 'partial')}({p.modifier()}, targets="Linear", ignore={p.ignored()!r})
        {p.call(f'make(scheme={p.preset()!r})')}""", "import functools\nfrom functools import partial")


@style
def formatted_targets(p):
    count = p.one(2, 3)
    item = p.one('f"re:.*layers.{i}.*"', '"re:.*layers.%d.*" % i', '"re:.*layers.{}.*".format(i)', 'f"model.layers.{i:02d}.mlp"', '"re:.*layers." + str(i) + ".*"')
    return script(p, f"""
        skipped = [{item} for i in range({count})]
        recipe = {p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore=["lm_head"{p.one(', *skipped]', '] + skipped')})
        {p.call()}""")


@style
def ignore_in_steps(p):
    return script(p, f"""
        ignore = ["lm_head"]
        ignore += {p.ignored()!r}
        for name in ({p.one('"q_proj", "k_proj"', '"gate",')}):
            ignore.append(f"re:.*{{name}}$")
        {p.one('ignore.extend(["re:.*norm"])', 'ignore.insert(0, "re:.*norm")', 'ignore = sorted(set(ignore))', 'del ignore[0]', 'ignore.remove("lm_head")', 'ignore = ignore[1:]', 'ignore.reverse()')}
        recipe = {p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore=ignore)
        {p.call()}""")


@style
def yaml_text(p):
    quote = p.one('"""', "'''")
    return script(p, f"recipe = {quote}\n{yaml_of(p)}{quote}\n" + p.call())


@style
def yaml_text_in_call(p):
    return script(p, f'oneshot(\n    model=model,\n    recipe="""\n{textwrap.indent(yaml_of(p), "      ")}    """,\n)')


@style
def yaml_template(p):
    return script(p, f'scheme = {p.preset()!r}\nstrength = {p.fraction()}\nignore = {p.ignored()!r}\nrecipe = f"""\nquant_stage:\n  quant_modifiers:\n    SmoothQuantModifier:\n'
                     f'      smoothing_strength: {{strength}}\n    GPTQModifier:\n      scheme: {{scheme}}\n      targets: [Linear]\n      ignore: {{{p.one("ignore", "ignore!r", "json.dumps(ignore)")}}}\n"""\n{p.call()}', "import json")


@style
def yaml_format(p):
    return script(p, f'TEMPLATE = """\nquant_stage:\n  quant_modifiers:\n    {p.modifier()}:\n      scheme: {{scheme}}\n      targets: [{{target}}]\n      ignore: [lm_head]\n"""\n'
                     f"for scheme in {p.two_presets()!r}:\n    recipe = TEMPLATE.format(scheme=scheme, target={p.one('Linear', 're:.*mlp.*')!r})\n    {p.call()}")


@style
def dedented_yaml(p):
    text = textwrap.indent(yaml_of(p), "        ")
    name = p.one("textwrap.dedent", "dedent")
    return script(p, f'def recipe_text():\n    return {name}("""\n{text}    """){p.one("", ".strip()")}\n\n\n' + p.call("recipe_text()"), "import textwrap\nfrom textwrap import dedent")


@style
def joined_lines(p):
    lines = yaml_of(p).splitlines()
    return script(p, f"lines = {lines!r}\nrecipe = {p.one(repr(chr(10)), 'chr(10)')}.join(lines)\n{p.call()}")


@style
def dumped_yaml(p):
    modifiers = {p.modifier(): {"targets": p.targets(), "scheme": p.preset(), "ignore": p.ignored()}}
    dump = p.one("yaml.dump(config)", "yaml.safe_dump(config, sort_keys=False)", "json.dumps(config)", "json.dumps(config, indent=2)")
    return script(p, f"config = {{'quant_stage': {{'quant_modifiers': {modifiers!r}}}}}\nrecipe = {dump}\n{p.call()}", "import json\nimport yaml")


@style
def loaded_yaml(p):
    text = small_yaml.dump({"targets": p.targets(), "scheme": p.preset(), "ignore": p.ignored()})
    return script(p, f'CONFIG = """\n{text}"""\nsettings = yaml.safe_load(CONFIG)\n{p.call(f"{p.modifier()}(**settings)")}', "import yaml")


@style
def loaded_json(p):
    text = json.dumps({"targets": "Linear", "scheme": p.preset(), "ignore": p.ignored(), "bypass_divisibility_checks": True})
    return script(p, f"settings = json.loads('{text}')\nrecipe = {p.modifier()}(targets=settings['targets'], scheme=settings['scheme'], ignore=settings.get('ignore', []))\n{p.call()}", "import json")


@style
def file_that_is_read(p):
    p.file("recipe.yaml", yaml_of(p))
    read = p.one('open("recipe.yaml").read()', 'Path("recipe.yaml").read_text()', 'Path(__file__).with_name("recipe.yaml").read_text()', '(Path(__file__).parent / "recipe.yaml").read_text()')
    return script(p, f"recipe = {read}\n{p.call()}", "from pathlib import Path")


@style
def file_in_with(p):
    p.file("recipe.yaml", yaml_of(p))
    return script(p, f"""
        with open({p.one('"recipe.yaml"', 'os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipe.yaml")')}) as file:
            recipe = file.read()
        {p.call()}""", "import os")


@style
def file_by_path(p):
    p.file("recipe.yaml", yaml_of(p))
    return script(p, f"""
        HERE = os.path.dirname(__file__)
        {p.call(p.one('os.path.join(HERE, "recipe.yaml")', 'f"{HERE}/recipe.yaml"', '"recipe.yaml"'))}
        {p.call(f'QuantizationModifier(targets="Linear", scheme={p.preset()!r})')}""", "import os")


@style
def settings_file(p):
    p.file("settings.yaml", small_yaml.dump({"scheme": p.preset(), "ignore": p.ignored()}))
    return script(p, f"""
        with open("settings.yaml") as file:
            settings = yaml.safe_load(file)
        {p.call(f'{p.modifier()}(targets="Linear", **settings)')}""", "import yaml")


@style
def sibling_module(p):
    p.file("settings.py", f"SCHEME = {p.preset()!r}\nIGNORE = {p.ignored()!r}\nSTRENGTH = {p.fraction()}\n")
    imports, scheme, ignore = p.one(("from settings import IGNORE, SCHEME", "SCHEME", "IGNORE"), ("import settings", "settings.SCHEME", "settings.IGNORE"), ("from settings import *", "SCHEME", "IGNORE"),
                                    ("import settings as cfg", "cfg.SCHEME", "cfg.IGNORE"))
    return script(p, p.call(f'{p.modifier()}(targets="Linear", scheme={scheme}, ignore={ignore})'), imports)


@style
def scheme_objects(p):
    return script(p, f"""
        recipe = {p.modifier()}(
            config_groups={{
                "group_0": QuantizationScheme(
                    targets={p.targets()!r},
                    weights=QuantizationArgs(num_bits={p.bits()}, type={p.one('"int"', 'QuantizationType.INT')}, strategy={p.one('"group"', 'QuantizationStrategy.GROUP')}, group_size={p.group()}, symmetric={p.one(True, False)}, dynamic=False),
                    {p.one('', 'input_activations=QuantizationArgs(num_bits=8, type="int", strategy="token", dynamic=True, symmetric=True),')}
                ),
            }},
            ignore={p.ignored()!r},
        )
        {p.call()}""", "from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, QuantizationStrategy, QuantizationType")


@style
def changed_preset(p):
    change = p.one(f'scheme["weights"].group_size = {p.group()}', f'scheme["weights"].symmetric = False', "", f'scheme["weights"] = QuantizationArgs(num_bits=4, group_size={p.group()})', f'setattr(scheme["weights"], "num_bits", 3)')
    return script(p, f"""
        scheme = copy.deepcopy(W4A16)
        scheme["targets"] = {p.targets()!r}
        {change}
        recipe = GPTQModifier(config_groups={{"group_0": {p.one("scheme", "QuantizationScheme(**scheme)")}}}, ignore={p.ignored()!r})
        {p.call()}""", "import copy\nfrom compressed_tensors.quantization import QuantizationArgs, QuantizationScheme\nfrom compressed_tensors.quantization.quant_scheme import W4A16")


@style
def groups_in_a_loop(p):
    loop = p.one("for i, target in enumerate(targets):", "for i, target in zip(range(9), targets):")
    return script(p, f"""
        targets = {p.targets(2)!r}
        config_groups = {{}}
        {loop}
            config_groups[f"group_{{i}}"] = {{
                "targets": [target],
                "weights": {{"num_bits": {p.one('4', '8', '8 if i else 4')}, "type": "int", "strategy": "group", "group_size": {p.group()}}},
            }}
        {p.call(f'{p.modifier()}(config_groups=config_groups, ignore={p.ignored()!r})')}""")


@style
def groups_by_comprehension(p):
    return script(p, f"""
        BITS = {{"attn": {p.bits()}, "mlp": {p.bits()}}}
        groups = {{
            name: {{"targets": [f"re:.*{{name}}.*"], "weights": dict(num_bits=bits, group_size={p.group()}, strategy="group")}}
            for name, bits in {p.one('BITS.items()', 'sorted(BITS.items())', 'BITS.items() if bits')}
        }}
        {p.call(f'GPTQModifier(config_groups=groups, ignore={p.ignored()!r})')}""".replace("BITS.items() if bits", "BITS.items()\n            if bits > 4 or name"))


@style
def match_statement(p):
    a, b = p.two_presets()
    return script(p, f"""
        kind = {p.one("int8", "fp8", "other")!r}
        match kind:
            case "int8":
                scheme = {a!r}
            case "fp8"{p.one('', ' | "float"', ' if True')}:
                scheme = {b!r}
            case _:
                scheme = "W4A16"
        {p.call(f'{p.modifier()}(targets="Linear", scheme=scheme, ignore=["lm_head"])')}""")


@style
def flags(p):
    return script(p, f"""
        USE_SMOOTHQUANT = {p.one(True, False)}
        WEIGHT_ONLY = {p.one(True, False)}
        recipe = []
        if USE_SMOOTHQUANT{p.one('', ' and not WEIGHT_ONLY')}:
            recipe.{p.one('append(', 'insert(0, ')}SmoothQuantModifier(smoothing_strength={p.fraction()}))
        recipe.append(GPTQModifier(targets="Linear", scheme="W4A16" if WEIGHT_ONLY else "W8A8", ignore={p.ignored()!r}))
        {p.call()}""")


@style
def modifiers_by_zip(p):
    return script(p, f"""
        targets = {p.rng.sample(TARGETS, 2)!r}
        schemes = {p.two_presets()!r}
        recipe = [{p.modifier()}(targets=[t], scheme=s, ignore=["lm_head"]) for {p.one('t, s in zip(targets, schemes)', '(t, s) in zip(targets, schemes)')}]
        {p.call(p.one('recipe', 'recipe[::-1]', 'recipe[:1]', 'list(reversed(recipe))'))}""")


@style
def star_wrapper(p):
    return script(p, f"""
        def quantize(*targets, **kwargs):
            kwargs.setdefault("ignore", {p.ignored()!r})
            recipe = {p.modifier()}(targets=list(targets){p.one('', ' or ["Linear"]')}, **kwargs)
            oneshot(model=MODEL_ID, recipe=recipe)


        quantize({", ".join(map(repr, p.targets()))}, scheme={p.preset()!r})
        {p.one('', f'quantize("Linear", scheme={p.preset()!r}, ignore=[])', f'quantize(*{p.targets()!r}, **dict(scheme={p.preset()!r}))')}""")


@style
def factories(p):
    return script(p, f"""
        FACTORIES = {{
            "gptq": lambda scheme: GPTQModifier(targets="Linear", scheme=scheme, ignore={p.ignored()!r}),
            "rtn": lambda scheme: QuantizationModifier(targets="Linear", scheme=scheme, ignore={p.ignored()!r}),
        }}
        {p.call(f'FACTORIES[{p.one("gptq", "rtn")!r}]({p.preset()!r})')}""")


@style
def registry(p):
    return script(p, f"""
        REGISTRY = {{}}


        def register(name):
            def wrap(function):
                REGISTRY[name] = function
                return function
            return wrap


        @register("fp8")
        def fp8():
            return QuantizationModifier(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})


        @register("int4")
        def int4():
            return GPTQModifier(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})


        {p.call(f'REGISTRY[{p.one("fp8", "int4")!r}]()')}""")


@style
def environment_variable(p):
    a, b = p.two_presets()
    return script(p, f"""
        MODE = os.{p.one('environ.get("MODE", "b")', 'getenv("MODE", "b")')}
        scheme = {a!r} if MODE == "a" else {b!r}
        {p.call(f'{p.modifier()}(targets="Linear", scheme=scheme, ignore={p.ignored()!r})')}""", "import os")


@style
def command_line(p):
    a, b = p.two_presets()
    return script(p, f"""
        scheme = sys.argv[1].upper() if len(sys.argv) > 1 else {a!r}
        {p.one('assert scheme', f'if scheme == {b!r}: print(scheme)')}
        {p.call(f'{p.modifier()}(targets="Linear", scheme={p.one("scheme", "sys.argv[1]")}, ignore={p.ignored()!r})')}
        {p.one('', p.call(f'QuantizationModifier(targets="Linear", scheme={b!r})'))}""", "import sys")


@style
def branch_on_command_line(p):
    return script(p, f"""
        recipe = []
        if sys.argv[1] == "w8a8":
            recipe.append(SmoothQuantModifier(smoothing_strength={p.fraction()}))
            recipe.append(GPTQModifier(targets="Linear", scheme="W8A8", ignore={p.ignored()!r}))
        else:
            recipe.append(GPTQModifier(targets="Linear", scheme="W4A16", ignore={p.ignored()!r}))
        {p.call()}""", "import sys")


@style
def enumeration(p):
    a, b = p.two_presets()
    return script(p, f"""
        class Scheme({p.one('str, enum.Enum', 'enum.Enum', 'enum.StrEnum')}):
            INT = {a!r}
            FLOAT = {b!r}


        {p.call(f'{p.modifier()}(targets="Linear", scheme=Scheme.{p.one("INT", "FLOAT")}.value, ignore={p.ignored()!r})')}""", "import enum")


@style
def split_text(p):
    return script(p, f"""
        IGNORE = {",".join(p.ignored())!r}
        TARGETS = {" ".join(p.targets())!r}
        recipe = {p.modifier()}(targets=TARGETS.split(), scheme={p.preset()!r}, ignore={p.one('IGNORE.split(",")', '[name.strip() for name in IGNORE.split(",")]', 'list(filter(None, IGNORE.split(",")))')})
        {p.call()}""")


@style
def fallback_import(p):
    return script(p, f"""
        try:
            from llmcompressor import oneshot
        except ImportError:
            from llmcompressor.transformers import oneshot

        {p.call(f'{p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})')}""")


@style
def old_awq(p):
    return script(p, f"""
        recipe = [AWQModifier(ignore={p.ignored()!r}, scheme={p.one("W4A16", "W4A16_ASYM")!r}, targets=["Linear"]{p.one('', ', duo_scaling=False', ', n_grid=20')})]
        {p.call()}""", "from llmcompressor.modifiers.awq import AWQModifier")


@style
def awq_mappings(p):
    return script(p, f"""
        recipe = [
            AWQModifier(mappings=[AWQMapping("re:.*input_layernorm", ["re:.*q_proj", "re:.*k_proj"]), AWQMapping(smooth_layer="re:.*v_proj", balance_layers=["re:.*o_proj"])]),
            QuantizationModifier(targets="Linear", scheme={p.one("W4A16", "W4A16_ASYM")!r}, ignore={p.ignored()!r}),
        ]
        {p.call()}""", "from llmcompressor.modifiers.transform.awq import AWQMapping, AWQModifier")


@style
def global_setting(p):
    a, b = p.two_presets()
    return script(p, f"""
        SCHEME = {a!r}


        def configure(name):
            {p.one('global SCHEME', 'global SCHEME  # the setting of this module')}
            SCHEME = name


        {p.one(f'configure({b!r})', f'if {p.one(True, False)}: configure({b!r})', '')}
        {p.call(f'{p.modifier()}(targets="Linear", scheme=SCHEME, ignore={p.ignored()!r})')}""")


@style
def two_stages(p):
    return script(p, f"""
        recipe = SmoothQuantModifier(smoothing_strength={p.fraction()})
        {p.call()}
        recipe = {p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})
        {p.call()}""")


@style
def changed_modifier(p):
    change = p.one(f"recipe.scheme = {p.preset()!r}", f'setattr(recipe, "scheme", {p.preset()!r})', f"recipe.ignore = {p.ignored()!r}", 'recipe.ignore.append("re:.*router")', f"recipe.targets = {p.targets()!r}")
    return script(p, f"""
        recipe = {p.modifier()}(targets={p.targets()!r}, scheme={p.preset()!r}, ignore={p.ignored()!r})
        {p.one('', p.call())}
        {change}
        {p.call()}""")


@style
def helper_that_extends(p):
    return script(p, f"""
        def add_smoothing(recipe, strength={p.fraction()}):
            recipe.{p.one('insert(0, ', 'append(')}SmoothQuantModifier(smoothing_strength=strength))


        recipe = [{p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})]
        {p.one('add_smoothing(recipe)', f'add_smoothing(recipe, {p.fraction()})', 'for _ in range(1): add_smoothing(recipe)')}
        {p.call()}""")


@style
def product(p):
    return script(p, f"""
        for bits in (4, 8):
            for acts in {p.one('(16,)', '(8, 16)', 'range(16, 17)')}:
                if bits == 4 and acts == 8:
                    continue
                scheme = {p.one('f"W{bits}A{acts}"', '"W%dA%d" % (bits, acts)', '"W{}A{}".format(bits, acts)', '"W" + str(bits) + "A" + str(acts)')}
                {p.call(f'{p.modifier()}(targets="Linear", scheme=scheme, ignore={p.ignored()!r})')}""")


@style
def retry(p):
    return script(p, f"""
        attempts = 0
        while attempts < 3:
            attempts += 1
            {p.call(f'{p.modifier()}(targets="Linear", scheme={p.preset()!r}, dampening_frac={p.one("0.01 * attempts", "0.01", "attempts / 100")})')}
            if attempts == {p.one(1, 2)}:
                break""")


@style
def context(p):
    return script(p, f"""
        recipe = {p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})
        with {p.one('torch.no_grad()', 'contextlib.suppress(RuntimeError)', 'contextlib.nullcontext()', 'torch.device("meta") as device')}:
            {p.call()}""", "import contextlib\nimport torch")


@style
def caught_error(p):
    return script(p, f"""
        recipe = {p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})
        try:
            {p.call()}
        except {p.one('RuntimeError', 'Exception as error', 'torch.cuda.OutOfMemoryError' if False else '(RuntimeError, MemoryError)')}:
            {p.one('raise', 'print("failed")')}
        finally:
            print("done")""", "import torch")


@style
def recipe_class(p):
    make = p.one("from_modifiers", "create_instance")
    return script(p, f"""
        recipe = Recipe.{make}([{p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore={p.ignored()!r})])
        {p.call()}""", "from llmcompressor.recipe import Recipe")


@style
def named_tuple(p):
    return script(p, f"""
        class Job(NamedTuple):
            scheme: str
            ignore: tuple = ("lm_head",)


        jobs = [Job({p.preset()!r}), Job(scheme={p.preset()!r}, ignore=("lm_head", "re:.*gate$"))]
        for job in jobs:
            {p.call(f'{p.modifier()}(targets="Linear", scheme=job.scheme, ignore=list(job.ignore))')}""", "from typing import NamedTuple")


@style
def job_dictionaries(p):
    jobs = [{"name": name, "scheme": p.preset(), "ignore": p.ignored()} for name in ("a", "b")]
    return script(p, f"""
        JOBS = {jobs!r}


        def run(job):
            recipe = {p.modifier()}(targets=job.get("targets", "Linear"), scheme=job["scheme"], ignore=job["ignore"])
            oneshot(model=MODEL_ID, recipe=recipe, output_dir=job["name"])


        {p.one('for job in JOBS:', 'for index, job in enumerate(JOBS):', 'for job in reversed(JOBS):')}
            run({p.one('job', '{**job}', 'dict(job)')})""")


@style
def unknown_library(p):
    return script(p, f"""
        ignore = {p.ignored()!r}
        {p.one('tuning.change(ignore)', 'scheme_list = tuning.same(ignore)', 'if tuning.flag(model): ignore.append("re:.*experts.*")')}
        recipe = [{p.modifier()}(targets="Linear", scheme={p.preset()!r}, ignore=ignore)]
        {p.one('', 'if tuning.flag(): recipe.insert(0, SmoothQuantModifier(smoothing_strength=0.5))')}
        {p.call()}""", "import tuning")


# NNI

NNI_IMPORTS = "from nni.compression.pruning import AGPPruner, L1NormPruner, LevelPruner, TaylorPruner\nfrom nni.compression.quantization import QATQuantizer"
OLD_NNI_IMPORTS = "from nni.algorithms.compression.pytorch.pruning import L1FilterPruner, LevelPruner, SlimPruner"


def nni_script(body, imports=NNI_IMPORTS):
    return f"import torch\n{imports}\n\nmodel = torch.load('model.pt')\n\n" + textwrap.dedent(body).strip("\n") + "\n"


def nni_entry(p):
    entry = {p.one("op_types", "op_names"): p.one(["Conv2d"], ["Linear"], ["Conv2d", "Linear"]), "sparse_ratio": p.fraction()}
    return entry | p.one({}, {"exclude_op_names": ["fc"]}, {"granularity": "out_channel"})


@style
def nni_list(p):
    return nni_script(f"config_list = {[nni_entry(p) for _ in range(p.one(1, 2))]!r}\npruner = {p.one('L1NormPruner', 'LevelPruner')}(model, config_list)\npruner.compress()")


@style
def nni_in_steps(p):
    return nni_script(f"""
        config_list = [{nni_entry(p)!r}]
        config_list.append({nni_entry(p)!r})
        {p.one('', 'config_list[0]["sparse_ratio"] = 0.25', 'del config_list[0]', 'config_list += [{"op_names": ["fc"], "exclude": True}]')}
        pruner = L1NormPruner(model, config_list)
        pruner.compress()""")


@style
def nni_function(p):
    return nni_script(f"""
        def prune(model, sparsity={p.fraction()}):
            config_list = [{{"op_types": ["Conv2d"], "sparse_ratio": sparsity}}]
            {p.one('pruner = LevelPruner(model, config_list)', 'pruner = LevelPruner(model=model, config_list=config_list)')}
            return pruner.compress()


        prune(model)
        {p.one('', 'prune(model, 0.75)')}""")


@style
def nni_loop(p):
    return nni_script(f"""
        config_list = []
        for name in ("conv1", "conv2"):
            config_list.append({{"op_names": [name], "sparse_ratio": {p.fraction()}}})
        L1NormPruner(model, config_list).compress()""")


@style
def nni_comprehension(p):
    return nni_script(f"""
        ratios = {{"layer1": {p.fraction()}, "layer2": {p.fraction()}}}
        config_list = [{{"op_names_re": [f"{{name}}.*"], "sparse_ratio": ratio}} for name, ratio in ratios.items()]
        pruner = TaylorPruner(model, config_list, None, training_steps={p.one(10, 100)})
        pruner.compress()""")


@style
def nni_quantizer(p):
    return nni_script(f"""
        config_list = [{{
            "op_types": ["Conv2d", "Linear"],
            "target_names": ["_input_", "weight", "_output_"],
            "quant_dtype": {p.one("int8", "int4")!r},
            "quant_scheme": {p.one("affine", "symmetric")!r},
            "granularity": "default",
        }}]
        quantizer = QATQuantizer(model, config_list, None)
        quantizer.compress(None, max_epochs={p.one(3, 5)})""")


@style
def nni_old(p):
    return nni_script(f"configure_list = [{{'sparsity': {p.fraction()}, 'op_types': ['Conv2d']}}]\npruner = {p.one('L1FilterPruner', 'LevelPruner')}(model, configure_list)\npruner.compress()", OLD_NNI_IMPORTS)


@style
def nni_command_line(p):
    return nni_script(f"import sys\nsparsity = {{'w4a16': 0.5}}.get(sys.argv[1], {p.fraction()})\nconfig_list = [{{'op_types': ['Conv2d'], 'sparse_ratio': sparsity}}]\npruner = LevelPruner(model, config_list)")


# SparseML

@style
def sparseml_text(p):
    text = f"modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: {p.one('10.0', '20.0')}\n- !GMPruningModifier\n  params: __ALL__\n  init_sparsity: 0.05\n  final_sparsity: {p.fraction()}\n  start_epoch: 0.0\n  end_epoch: 8.0\n  update_frequency: 1.0\n"
    return f'from sparseml.pytorch.optim import ScheduledModifierManager\n\nRECIPE = """\n{text}"""\nmanager = ScheduledModifierManager.from_yaml(RECIPE)\n'


# Notebooks and Markdown

def notebook(cells):
    """Returns a notebook; strings are code cells, tuples are (type, text)."""
    rows = [each if isinstance(each, tuple) else ("code", each) for each in cells]
    made = [{"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), **({"outputs": [], "execution_count": None} if kind == "code" else {})} for kind, text in rows]
    return Other(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}), ".ipynb")


class Other(str):
    """A file that is not a script."""

    def __new__(cls, text, ending):
        self = super().__new__(cls, text)
        self.ending = ending
        return self


@style
def notebook_cells(p):
    return notebook([("markdown", "# Compress"), "%pip install llmcompressor", script(p, "scheme = 'X'", load=False), f"scheme = {p.preset()!r}\nignore = {p.ignored()!r}",
                     f"recipe = {p.modifier()}(targets='Linear', scheme=scheme, ignore=ignore)\nrecipe", "oneshot(model=MODEL_ID, recipe=recipe)"])


@style
def notebook_with_list(p):
    return notebook([NNI_IMPORTS + "\nmodel = None", f"config_list = [{nni_entry(p)!r}]", p.one("", "config_list[0]['sparse_ratio'] = 0.3\n") + "pruner = L1NormPruner(model, config_list)\npruner.compress()"])


@style
def notebook_with_text(p):
    return notebook(["from llmcompressor import oneshot", f'recipe = """\n{yaml_of(p)}"""', ("markdown", "Now run it."), "oneshot(model='m', dataset='open_platypus', recipe=recipe)"])


@style
def notebook_that_writes_a_file(p):
    text = yaml_of(p)
    p.file("recipe.yaml", text)
    return notebook(["from llmcompressor import oneshot", f"%%writefile recipe.yaml\n{text}", "oneshot(model='m', recipe='recipe.yaml')", f"from llmcompressor.modifiers.quantization import GPTQModifier\noneshot(model='m', recipe=GPTQModifier(targets='Linear', scheme={p.preset()!r}))"])


@style
def markdown(p):
    code = f"from llmcompressor import oneshot\nfrom llmcompressor.modifiers.quantization import {p.modifier()} as Modifier_\n".replace(" as Modifier_", "")
    name = code.split()[-1]
    code += f"\nscheme = {p.preset()!r}\noneshot(model='m', recipe={name}(targets='Linear', scheme=scheme, ignore={p.ignored()!r}))\n"
    return Other(f"# Use\n\n```python\n{code}```\n", ".md")


def write(rng, number, folder):
    """Returns (name of the style, script). The number selects the style."""
    names = list(STYLES)
    name = names[number % len(names)]
    return name, STYLES[name](Parameters(rng, folder))
