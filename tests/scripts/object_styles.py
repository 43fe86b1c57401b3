"""Writes scripts that change objects of llm-compressor after their construction, with random parameters.

A script builds some objects, changes them through names, aliases, copies and functions, reads fields back, and passes a
recipe to `oneshot`. The stand-ins and the real classes must agree on all of them.
"""

HEAD = """from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier
from llmcompressor.modifiers.transform.awq import AWQMapping, AWQModifier
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, preset_name_to_scheme
import copy

"""
PRESETS = ["W4A16", "W8A16", "W8A8", "FP8_DYNAMIC"]
TARGETS = ["Linear", "re:.*mlp.*", "re:.*q_proj$", "Embedding"]


class Writer:
    def __init__(self, rng):
        self.rng, self.lines, self.count = rng, [], 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def add(self, line):
        self.lines.append(line)

    def target(self):
        return repr(self.rng.choice(TARGETS))

    def mapping_of_args(self):
        return f'{{"num_bits": {self.rng.choice([4, 8])}, "group_size": {self.rng.choice([32, 64, 128])}}}'

    # Objects: each function returns the name of a scheme, modifier or mapping.
    def preset_scheme(self):
        name = self.name()
        self.add(f'{name} = preset_name_to_scheme("{self.rng.choice(PRESETS[:2])}", [{self.target()}])')
        return name

    def scheme(self):
        name = self.name()
        weights = self.rng.choice([self.mapping_of_args(), f"QuantizationArgs(**{self.mapping_of_args()})"])
        self.add(f"{name} = QuantizationScheme(targets=[{self.target()}], weights={weights})")
        return name

    def copied(self, name):
        how = self.rng.choice(["copy.deepcopy({0})", "copy.copy({0})", "{0}.model_copy()", "{0}.model_copy(deep=True)", "{0}"])
        other = self.name()
        self.add(f"{other} = {how.format(name)}")
        return other

    def change_scheme(self, name):
        value = self.rng.choice([2, 4, 8, 32, 64])
        field = self.rng.choice(["group_size", "num_bits"])
        change = self.rng.choice([
            f"{name}.weights.{field} = {value}",
            f'setattr({name}.weights, "{field}", {value})',
            f"{name}.targets.append({self.target()})",
            f"{name}.targets = [{self.target()}]",
            f"w = {name}.weights\nw.{field} = {value}",
            f"t = {name}.targets\nt.insert(0, {self.target()})",
            f"def change(s):\n    s.weights.{field} = {value}\nchange({name})",
            f"for each in [{name}]:\n    each.weights.{field} = {value}",
            f"{name}.targets += [{self.target()}]",
            f"{name}.weights = QuantizationArgs(num_bits={value})",
        ])
        for line in change.split("\n"):
            self.add(line)

    def read_back(self, modifier):
        return self.rng.choice([f"{modifier}.targets", f"list({modifier}.targets)", f"{modifier}.targets[0]",
                                f"[x for x in {modifier}.targets]", f"{modifier}.targets + [{self.target()}]"])

    # Scripts
    def of_schemes(self):
        name = self.rng.choice([self.preset_scheme, self.scheme])()
        names = [name]
        for _ in range(self.rng.randint(1, 4)):
            if self.rng.random() < 0.4:
                names.append(self.copied(self.rng.choice(names)))
            else:
                self.change_scheme(self.rng.choice(names))
        modifier = self.name()
        self.add(f'{modifier} = {self.rng.choice(["QuantizationModifier", "GPTQModifier"])}(config_groups={{"g": {self.rng.choice(names)}}}, ignore=["lm_head"])')
        if self.rng.random() < 0.4:
            self.change_scheme(self.rng.choice([*names, f'{modifier}.config_groups["g"]']))
        self.add(f'oneshot(model="m", recipe={modifier})')

    def of_mapping_groups(self):
        modifier = self.name()
        self.add(f'groups = {{"g": {{"targets": [{self.target()}], "weights": {self.mapping_of_args()}}}}}')
        self.add(f"{modifier} = QuantizationModifier(config_groups=groups)")
        self.add(self.rng.choice(['groups["g"]["weights"]["num_bits"] = 2', 'groups["g"]["targets"].append("Embedding")', "groups = {}", "pass"]))
        self.add(self.rng.choice([f'{modifier}.config_groups["g"].weights.num_bits = 8', f'{modifier}.config_groups["g"].targets.append("x")', "pass"]))
        self.add(f'oneshot(model="m", recipe=[{modifier}])')

    def of_targets(self):
        modifier = self.name()
        targets = self.rng.choice([self.target(), f"[{self.target()}]", f"({self.target()}, {self.target()})"])
        self.add(f'{modifier} = {self.rng.choice(["QuantizationModifier", "GPTQModifier"])}(scheme="{self.rng.choice(PRESETS)}", targets={targets})')
        self.add(self.rng.choice([f"{modifier}.targets.append({self.target()})", f"{modifier}.ignore = [\"lm_head\"]", "pass"]))
        if self.rng.random() < 0.6:
            self.add(f'other = QuantizationModifier(scheme="W8A8", targets={self.read_back(modifier)})')
            self.add('oneshot(model="m", recipe=other)')
        self.add(f'oneshot(model="m", recipe={modifier})')

    def of_cache(self):
        modifier = self.name()
        self.add(f'{modifier} = QuantizationModifier(scheme="FP8_DYNAMIC", kv_cache_scheme={{"num_bits": 8, "type": "float", "strategy": "tensor"}})')
        self.add(self.rng.choice([f"{modifier}.kv_cache_scheme.num_bits = 4", f'k = {modifier}.kv_cache_scheme\nk.dynamic = True', f"n = {modifier}.kv_cache_scheme.num_bits"]).replace("\n", "\n"))
        self.add(f'oneshot(model="m", recipe={modifier})')

    def of_awq(self):
        self.add('layers = ["re:.*b"]')
        self.add(self.rng.choice(['mapping = AWQMapping("re:.*a", layers)', 'mapping = AWQMapping(smooth_layer="re:.*a", balance_layers=layers)']))
        self.add(self.rng.choice(['layers.append("re:.*c")', "pass", "other = copy.deepcopy(mapping)\nmapping = other"]))
        self.add("awq = AWQModifier(mappings=[mapping])")
        self.add(self.rng.choice(['mapping.balance_layers.append("re:.*d")', 'layers.append("re:.*e")', 'mapping.smooth_layer = "re:.*z"', "pass"]))
        self.add('oneshot(model="m", recipe=[awq, QuantizationModifier(scheme="W4A16", ignore=["lm_head"])])')


STYLES = ("of_schemes", "of_mapping_groups", "of_targets", "of_cache", "of_awq")


def write(rng, number, _folder):
    """Returns (name of the style, script). The number selects the style."""
    writer = Writer(rng)
    name = STYLES[number % len(STYLES)]
    getattr(writer, name)()
    return name, HEAD + "\n".join(writer.lines) + "\n"
