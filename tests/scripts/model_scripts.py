"""Writes scripts that pass models to calls.

A script is composed of four random choices: where the id comes from, which object loads the model, how the model reaches the
call that accepts the recipe, and which other models there are.
"""

import textwrap

import realistic_scripts
import small_yaml

IDS = ["Qwen/Qwen3-8B", "meta-llama/Llama-3.2-1B-Instruct", "my-org/merged-moe", "./checkpoints/final", "mistralai/Mistral-7B-v0.1", "google/gemma-3-4b-it", "models/local"]
CLASSES = ["AutoModelForCausalLM", "AutoModelForImageTextToText", "AutoModel", "Qwen3ForCausalLM", "LlamaForCausalLM", "AutoModelForSequenceClassification"]


class Choice:
    """A random choice of a function. The name of the function is a part of the name of the script."""

    def __init__(self):
        self.functions = []

    def __call__(self, function):
        self.functions.append(function)
        return function

    def pick(self, p):
        function = p.rng.choice(self.functions)
        p.names.append(function.__name__)
        return function


identity, loader, reach, company, change = Choice(), Choice(), Choice(), Choice(), Choice()


class Parameters(realistic_scripts.Parameters):
    def __init__(self, rng, folder):
        super().__init__(rng, folder)
        self.names, self.imports, self.count = [], set(), 0

    def model_id(self):
        return self.rng.choice(IDS)

    def two_ids(self):
        return self.rng.sample(IDS, 2)

    def model_class(self):
        name = self.rng.choice(CLASSES)
        self.imports.add(f"from transformers import {name}")
        return name

    def use(self, line):
        self.imports.add(line)

    def new(self, name):
        self.count += 1
        return f"{name}_{self.count}"

    def options(self):
        """Further arguments of `from_pretrained`."""
        return self.one("", "", ', torch_dtype="auto"', ', device_map="auto", trust_remote_code=True', ', torch_dtype="auto", attn_implementation="eager"', ", low_cpu_mem_usage=True")

    def recipe(self):
        return self.one(f'{self.modifier()}(targets="Linear", scheme={self.preset()!r}, ignore={self.ignored()!r})',
                        f'[SmoothQuantModifier(smoothing_strength={self.fraction()}), GPTQModifier(targets="Linear", scheme={self.preset()!r})]')


# Where the id comes from: (lines, expression)


@identity
def literal(p):
    return "", repr(p.model_id())


@identity
def variable(p):
    return f"MODEL_ID = {p.model_id()!r}", "MODEL_ID"


@identity
def reassigned(p):
    first, second = p.two_ids()
    return f"model_id = {first!r}\nbase_id = model_id\nmodel_id = {second!r}", p.one("model_id", "base_id")


@identity
def formatted(p):
    organization, name = p.one("Qwen/Qwen3-8B", "my-org/merged-moe").split("/")
    return f"organization = {organization!r}\nname = {name!r}", p.one('f"{organization}/{name}"', 'organization + "/" + name', '"/".join([organization, name])', '"%s/%s" % (organization, name)', '"{}/{}".format(organization, name)')


@identity
def joined_path(p):
    p.use("import os")
    return 'ROOT = "checkpoints"', p.one('os.path.join(ROOT, "final")', 'f"{ROOT}/final"')


@identity
def path_object(p):
    p.use("from pathlib import Path")
    return 'folder = Path("checkpoints")', p.one('folder / "final"', 'str(folder / "final")', "folder")


@identity
def in_dictionary(p):
    first, second = p.two_ids()
    key = p.one("small", "large")
    return f'MODELS = {{"small": {first!r}, "large": {second!r}}}', p.one(f'MODELS["{key}"]', f'MODELS.get("{key}")', f'MODELS.get("none", {p.model_id()!r})')


@identity
def settings(p):
    first, second = p.two_ids()
    p.use("from dataclasses import dataclass")
    return f"@dataclass\nclass Settings:\n    model: str = {first!r}\n    samples: int = 512\n\n\nsettings = {p.one('Settings()', f'Settings(model={second!r})', f'Settings({second!r}, 8)')}", "settings.model"


@identity
def of_class(p):
    first, second = p.two_ids()
    return f"class Config:\n    MODEL = {first!r}\n\n\n{p.one('', f'Config.MODEL = {second!r}')}", "Config.MODEL"


@identity
def option(p):
    p.use("import argparse")
    name = p.one("--model", "--model-id", "--model_path")
    more = p.one("", ", type=str", ', help="the model"')
    read = name.lstrip("-").replace("-", "_")
    return f"parser = argparse.ArgumentParser()\nparser.add_argument({name!r}, default={p.model_id()!r}{more})\nargs = parser.parse_args()", f"args.{read}"


@identity
def command_line(p):
    p.use("import sys")
    return p.one(f"model_id = sys.argv[1] if len(sys.argv) > 1 else {p.model_id()!r}", f'model_id = "Qwen/Qwen3-8B"\nif sys.argv[1] == "fp8":\n    model_id = {p.model_id()!r}', "model_id = sys.argv[1]"), "model_id"


@identity
def environment(p):
    p.use("import os")
    return "", p.one(f'os.environ.get("MODE", {p.model_id()!r})', f'os.getenv("MODE", {p.model_id()!r})')


@identity
def external(p):
    p.use("import tuning")
    return f"candidates = {p.two_ids()!r}", p.one("tuning.pick(candidates)", f"({p.model_id()!r} if tuning.flag() else candidates[0])", "candidates[0]")


@identity
def branch(p):
    first, second = p.two_ids()
    return f"large = {p.one(True, False)}\nif large:\n    model_id = {first!r}\nelse:\n    model_id = {second!r}", "model_id"


@identity
def unknown_branch(p):
    p.use("import tuning")
    first, second = p.two_ids()
    return f"model_id = {first!r}\nif tuning.flag():\n    model_id = {p.one(first, second)!r}", "model_id"


@identity
def function(p):
    first, second = p.two_ids()
    return f'def choose(kind="base"):\n    if kind == "base":\n        return {first!r}\n    return {second!r}', p.one("choose()", 'choose("chat")', 'choose(kind="base")')


@identity
def settings_file(p):
    p.file("settings.yaml", small_yaml.dump({"model": p.model_id(), "samples": 8}))
    p.use("import yaml")
    return 'with open("settings.yaml") as file:\n    settings = yaml.safe_load(file)', 'settings["model"]'


@identity
def sibling(p):
    p.file("names.py", f"MODEL = {p.model_id()!r}\n")
    p.use("import names")
    return "", "names.MODEL"


# Which object loads the model: (lines, expression)


@loader
def plain(p, name):
    return f"model = {p.model_class()}.from_pretrained({name}{p.options()})", "model"


@loader
def by_keyword(p, name):
    return f"model = {p.model_class()}.from_pretrained(pretrained_model_name_or_path={name}{p.options()})", "model"


@loader
def module(p, name):
    p.use("import transformers")
    return f"model = transformers.{p.rng.choice(CLASSES)}.from_pretrained({name}{p.options()})", "model"


@loader
def string(p, name):
    return "", name


@loader
def chained(p, name):
    return f"model = {p.model_class()}.from_pretrained({name}{p.options()}){p.one('.eval()', '.to(chr(99))', '.cuda().eval()', '.half()')}", "model"


@loader
def in_steps(p, name):
    return f"model = {p.model_class()}.from_pretrained({name}{p.options()})\n{p.one('model.eval()', 'model = model.eval()', 'model.config.use_cache = False', 'model.seqlen = 2048', 'print(model)', 'model.gradient_checkpointing_enable()')}", "model"


@loader
def alias_of_class(p, name):
    return f"Loader = {p.model_class()}\nmodel = Loader.from_pretrained({name})", "model"


@loader
def table_of_classes(p, name):
    first, second = p.model_class(), p.model_class()
    return f'LOADERS = {{"text": {first}, "image": {second}}}\nmodel = LOADERS["{p.one("text", "image")}"].from_pretrained({name})', "model"


@loader
def loading_function(p, name):
    tokenizer = p.one(name, repr(p.model_id()))
    p.use("from transformers import AutoTokenizer")
    return f"def load(name):\n    model = {p.model_class()}.from_pretrained(name{p.options()})\n    tokenizer = AutoTokenizer.from_pretrained({tokenizer})\n    return model, tokenizer\n\n\nmodel, tokenizer = load({name})", "model"


@loader
def loading_function_of_one(p, name):
    return f"def load(name, loader={p.model_class()}):\n    return loader.from_pretrained(name)\n\n\nmodel = load({name}{p.one('', ', ' + p.model_class())})", "model"


@loader
def same_in_both_branches(p, name):
    p.use("import tuning")
    loader_name = p.model_class()
    other = p.one(loader_name, loader_name, p.model_class())
    return f'if tuning.flag():\n    model = {loader_name}.from_pretrained({name}, device_map="auto")\nelse:\n    model = {other}.from_pretrained({name})', "model"


@loader
def fallback(p, name):
    loader_name = p.model_class()
    return f'try:\n    model = {loader_name}.from_pretrained({name}, attn_implementation="flash_attention_2")\nexcept ImportError:\n    model = {p.one(loader_name, p.model_class())}.from_pretrained({name})', "model"


@loader
def holder(p, name):
    return f"class Holder:\n    def __init__(self, name):\n        self.name = name\n        self.model = {p.model_class()}.from_pretrained(self.name)\n\n\nholder = Holder({name})", "holder.model"


@loader
def with_configuration(p, name):
    p.use("from transformers import AutoConfig")
    return f"config = AutoConfig.from_pretrained({p.one(name, name, repr(p.model_id()))})\n{p.one('', 'config.use_cache = False', 'config.num_hidden_layers = 2', 'config.text_config.num_hidden_layers = 2')}\nmodel = {p.model_class()}.from_pretrained({name}, config=config)", "model"


@loader
def with_override(p, name):
    return f"model = {p.model_class()}.from_pretrained({name}, {p.one('num_hidden_layers=2', 'num_labels=3', 'use_cache=False', 'revision=chr(97)')})", "model"


@loader
def in_context(p, name):
    p.use("import torch")
    return f"with {p.one('torch.no_grad()', 'torch.device(chr(99))')}:\n    model = {p.model_class()}.from_pretrained({name})", "model"


@loader
def with_dictionary(p, name):
    return f'options = {{"torch_dtype": "auto"{p.one("", ", " + repr("num_hidden_layers") + ": 2")}}}\nmodel = {p.model_class()}.from_pretrained({name}, **options)', "model"


@loader
def partial(p, name):
    p.use("import functools")
    return f'load = functools.partial({p.model_class()}.from_pretrained, torch_dtype="auto")\nmodel = load({name})', "model"


# Code between loading and the call. Some of it changes the model.


@change
def nothing(p, model):
    return "", model


@change
def nothing_again(p, model):
    return "", model


@change
def reads(p, model):
    if model != "model":
        return "", model
    return p.one("print(sum(1 for _ in model.parameters()))", "print(type(model).__name__, len(str(model)))", "for name, module in model.named_modules():\n    print(name)", "size = model.get_memory_footprint()", "model.generate(None, max_new_tokens=5)", "hidden = model.config.hidden_size",
                 "names = [name for name, module in model.named_modules()]"), model


@change
def unknown_function(p, model):
    p.use("import tuning")
    if model != "model":
        return "", model
    return p.one("tuning.change(model)", "model = tuning.replace(model)", "tuning.keep(model)\ntuning.flush()", "other = tuning.replace(model)", "model = tuning.same(model)", "models = [model]\ntuning.change(models)"), "model"


@change
def changed_modules(p, model):
    p.use("import tuning")
    if model != "model":
        return "", model
    return p.one("model.model.layers = model.model.layers[:2]", "del model.vision_tower", "model.lm_head = tuning.flag", 'setattr(model, "lm_head", None or tuning.flag)', "for name, module in model.named_modules():\n    module.proj = tuning.flag", "layers = model.model.layers\nlayers[0] = tuning.flag",
                 "model.resize_token_embeddings(9)"), model


@change
def calibration_of_experts(p, model):
    if model != "model":
        return "", model
    p.use("from llmcompressor.modeling import replace_modules_for_calibration")
    return p.one("model = replace_modules_for_calibration(model)", "replace_modules_for_calibration(model)"), model


@change
def copied(p, model):
    p.use("import copy")
    return f"copied = copy.deepcopy({model})", "copied"


# How the model reaches the call.


def more(p):
    return p.one("", ', dataset="open_platypus"', ", num_calibration_samples=8", ', output_dir="out"')


@reach
def keyword(p, model):
    return f"recipe = {p.recipe()}\noneshot(model={model}, recipe=recipe{more(p)})"


@reach
def positional(p, model):
    return f"oneshot({model}, recipe={p.recipe()}{more(p)})"


@reach
def arguments(p, model):
    return f'arguments = dict(model={model}, num_calibration_samples=8)\n{p.one("", "arguments[" + repr("output_dir") + "] = " + repr("out"))}\noneshot(recipe={p.recipe()}, **arguments)'


@reach
def through_function(p, model):
    return f"def compress(model, recipe):\n    oneshot(model=model, recipe=recipe{more(p)})\n\n\ncompress({p.one(model, 'model=' + model)}, {p.one('recipe=', 'recipe=') if True else ''}{p.recipe()})"


@reach
def through_function_with_loading(p, model):
    return f"def compress(name, loader={p.model_class()}):\n    student = loader.from_pretrained(name)\n    oneshot(model=student, recipe={p.recipe()})\n\n\ncompress({p.model_id()!r})\nprint({model})"


@reach
def through_default(p, model):
    return f"def compress(recipe, model={model}):\n    oneshot(model=model, recipe=recipe)\n\n\ncompress({p.recipe()}{p.one('', ', ' + repr(p.model_id()))})"


@reach
def through_class(p, model):
    return f"class Compressor:\n    def __init__(self, model, recipe):\n        self.model = model\n        self.recipe = recipe\n\n    def run(self):\n        return oneshot(model=self.model, recipe=self.recipe)\n\n\ncompressor = Compressor({model}, {p.recipe()})\n{p.one('', f'compressor.model = {p.model_id()!r}')}\ncompressor.run()"


@reach
def text(p, model):
    return f'recipe = """\n{realistic_scripts.yaml_of(p)}"""\noneshot(model={model}, recipe=recipe)'


@reach
def trainer(p, model):
    p.use("from llmcompressor.transformers import Trainer")
    return f"trainer = Trainer({p.one('model=', '')}{model}, recipe={p.recipe()})\ntrainer.train()"


@reach
def session(p, model):
    p.use("from llmcompressor import create_session")
    return f"session = create_session()\nsession.initialize(model={model}, recipe={p.recipe()})"


@reach
def unknown_call(p, model):
    p.use("import tuning")
    return f"tuning.quantize({p.one('model=', '')}{model}, recipe={p.recipe()})"


@reach
def same_recipe_twice(p, model):
    return f"recipe = {p.recipe()}\noneshot(model={model}, recipe=recipe)\noneshot(model={p.one(model, repr(p.model_id()))}, recipe=recipe)"


@reach
def result_again(p, model):
    return f"first = oneshot(model={model}, recipe=SmoothQuantModifier(smoothing_strength={p.fraction()}))\noneshot(model=first, recipe={p.recipe()})"


@reach
def loop_over_ids(p, model):
    load = p.one("", f"    each = {p.model_class()}.from_pretrained(each)\n")
    return f"for each in {p.two_ids()!r}:\n{load}    oneshot(model=each, recipe={p.one(p.recipe(), p.recipe())})\nprint({model})"


@reach
def loop_over_jobs(p, model):
    first, second = p.two_ids()
    return f'recipe = {p.recipe()}\nJOBS = [{{"model": {first!r}, "samples": 8}}, {{"model": {second!r}}}]\nfor job in JOBS:\n    oneshot(recipe=recipe, model=job["model"]{p.one("", ", num_calibration_samples=job.get(" + repr("samples") + ", 512)")})\nprint({model})'


@reach
def loop_that_changes(p, model):
    return f"current = {model}\nfor step in range({p.one(1, 2)}):\n    oneshot(model=current, recipe={p.recipe()})\n    current = {p.one('current', repr(p.model_id()))}"


@reach
def unknown_loop(p, model):
    p.use("import tuning")
    return f"current = {model}\nwhile tuning.flag():\n    oneshot(model=current, recipe={p.recipe()})\n    current = {p.one('current', repr(p.model_id()))}\n    break\noneshot(model=current, recipe={p.recipe()})"


@reach
def in_branch(p, model):
    p.use("import tuning")
    return f"recipe = {p.recipe()}\nif tuning.flag():\n    oneshot(model={model}, recipe=recipe)\nelse:\n    oneshot(model={p.one(model, repr(p.model_id()))}, recipe=recipe)"


@reach
def global_name(p, model):
    return f"current = None\n\n\ndef setup():\n    global current\n    current = {model}\n\n\ndef run():\n    oneshot(model=current, recipe={p.recipe()})\n\n\n{p.one('setup()', 'setup()', f'current = {p.model_id()!r}')}\nrun()"


@reach
def from_dictionary(p, model):
    return f'models = {{"student": {model}, "other": {p.model_id()!r}}}\noneshot(model=models[{p.one("student", "other")!r}], recipe={p.recipe()})'


@reach
def pruner(p, model):
    p.use("from nni.compression.pruning import LevelPruner")
    return f'config_list = [{{"op_types": ["Linear"], "sparse_ratio": {p.fraction()}}}]\npruner = LevelPruner({p.one("", "model=")}{model}, {p.one("config_list=", "config_list=")}config_list)\npruner.compress()'


# Other models: (lines before, lines after)


@company
def alone(p):
    return "", ""


@company
def alone_again(p):
    return "", ""


@company
def tokenizer(p):
    p.use("from transformers import AutoTokenizer")
    return f"tokenizer = AutoTokenizer.from_pretrained({p.model_id()!r})\ntokenizer.pad_token = tokenizer.eos_token", ""


@company
def teacher(p):
    return f"teacher = {p.model_class()}.from_pretrained({p.model_id()!r})", "print(teacher)"


@company
def embedding(p):
    return f"embedder = {p.model_class()}.from_pretrained({p.model_id()!r})\nconfigs = [1]", ""


@company
def loaded_after(p):
    return "", f"model = {p.model_class()}.from_pretrained({p.model_id()!r})\nmodel.eval()"


@company
def processor_and_config(p):
    p.use("from transformers import AutoConfig, AutoProcessor")
    return f"processor = AutoProcessor.from_pretrained({p.model_id()!r})\nother_config = AutoConfig.from_pretrained({p.model_id()!r})", ""


@company
def uncalled(p):
    return f"def evaluate(name={p.model_id()!r}):\n    model = {p.model_class()}.from_pretrained(name)\n    return model", ""


def in_function(p, body):
    name = p.one("main", "run", "quantize")
    return f"def {name}():\n{textwrap.indent(body, '    ')}\n\n\n{p.one(f'{name}()', f'if __name__ == {chr(39)}__main__{chr(39)}:{chr(10)}    {name}()')}"


def write(rng, number, folder):
    """Returns (name, script). The number selects how the model reaches the call."""
    p = Parameters(rng, folder)
    before, after = company.pick(p)(p)
    lines, name = identity.pick(p)(p)
    loading, model = loader.pick(p)(p, name)
    changing, model = change.pick(p)(p, model)
    function = reach.functions[number % len(reach.functions)]
    call = function(p, model)
    body = "\n".join(part for part in (before, lines, loading, changing, call, after) if part)
    if "global " not in body and rng.random() < 0.3:
        body = in_function(p, body)
    head = ["from llmcompressor import oneshot", "from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier", "from llmcompressor.modifiers.smoothquant import SmoothQuantModifier"]
    return function.__name__, "\n".join(sorted(p.imports) + head) + "\n\n" + body + "\n"
