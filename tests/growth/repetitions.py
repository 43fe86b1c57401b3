"""Inputs that grow: each list, mapping and chain of a seed, repeated any number of times.

A seed is a small file that a reader accepts. A kind repeats one part of it: a line with the lines nested in it, an item
in brackets, or an element of JSON. The copies are equal, or a name or a value in them is numbered.
"""

import copy
import dataclasses
import json
import os
import re
import struct
from typing import Callable, Dict, List

VALIDATE = ("validate",)
CONVERSIONS = ("distiller", "ir", "llm-compressor", "nni", "pytorch", "sparseml")
RUN = ("--epochs", "10", "--steps-per-epoch", "2")
EVERY_COMMAND = (
    ("validate", "--diff", "--unsafe-fixes"), ("validate", "--format", "sarif"), ("normalize",), ("normalize", "--resolve"),
    ("inspect",), ("rescale", "--epochs", "50"), ("timeline", *RUN), ("timeline", "--summary", *RUN), ("diff", "other"),
    ("compose", "other"), *(("convert", "--allow-loss", *RUN, "--to", each) for each in CONVERSIONS))


@dataclasses.dataclass
class Seed:
    name: str
    file: str
    text: str
    command: tuple = VALIDATE  # without the file
    checked: str = ""  # the file that the command reads, if it is another one
    files: Dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Kind:
    name: str
    seed: Seed
    content: Callable[[int], bytes]  # of the file of the seed, with n repetitions

    def repetitions_for(self, size):
        """The number of repetitions for a size in bytes."""
        low, high = len(self.content(8)), len(self.content(72))
        return max(1, int(8 + 64 * (size - low) / max(1, high - low)))


# --- seeds ------------------------------------------------------------------------------------------

SPARSEML = """version: 1.1.0
num_epochs: 20.0
rate: eval(num_epochs * 0.01)
training_modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: eval(num_epochs)
- !GMPruningModifier
  params: [fc.weight, 're:.*conv.*']
  init_sparsity: 0.05
  final_sparsity: {0.8: [fc.weight], 0.9: [a.weight]}
  start_epoch: 0.0
  end_epoch: 8.0
  update_frequency: 0.5
- !LearningRateFunctionModifier
  lr_func: linear
  init_lr: eval(rate)
  final_lr: 0.01
  start_epoch: 0.0
  end_epoch: 9.0
- !LearningRateModifier
  start_epoch: 9.0
  lr_class: MultiStepLR
  lr_kwargs: {gamma: 0.9, milestones: [10, 12]}
  init_lr: 0.1
- !QuantizationModifier
  start_epoch: 12.0
  ignore: [classifier]
  scheme_overrides: {Linear: {weights: {num_bits: 4}}}
"""
STAGED = """sparsity: 0.5
test_stage:
  run_type: train
  start: 1.0
  obcq_modifiers:
    SparseGPTModifier:
      sparsity: ${sparsity}
      block_size: 128
      targets: [model.layers.0, 're:model.layers.\\d*$']
    ConstantPruningModifier:
      targets: [__ALL_PRUNABLE__]
      start: 0
"""
LLM_COMPRESSOR = """quant_stage:
  quant_modifiers:
    SmoothQuantModifier:
      smoothing_strength: 0.8
      mappings:
      - [['re:.*q_proj', 're:.*k_proj'], 're:.*input_layernorm']
      - [['re:.*gate_proj'], 're:.*post_attention_layernorm']
    GPTQModifier:
      ignore: [lm_head, 're:.*gate$']
      config_groups:
        group_0:
          targets: [Linear]
          weights: {num_bits: 4, type: int, symmetric: true, strategy: group, group_size: 128}
        group_1:
          targets: ['re:.*down_proj']
          weights:
            num_bits: 8
            type: int
            symmetric: true
            strategy: channel
    AWQModifier:
      scheme: W4A16
      targets: [Linear]
      mappings:
      - smooth_layer: re:.*input_layernorm
        balance_layers: ['re:.*q_proj']
"""
DISTILLER = """version: 1
pruners:
  low_pruner:
    class: AutomatedGradualPruner
    initial_sparsity: 0.05
    final_sparsity: 0.5
    weights: [conv1.weight, fc.weight]
  sensitive:
    class: SensitivityPruner
    sensitivities:
      'features.0.weight': 0.25
      'features.3.weight': 0.35
regularizers:
  l1:
    class: GroupLassoRegularizer
    reg_regims: {conv1.weight: [0.0001, Channels]}
quantizers:
  dorefa:
    class: DorefaQuantizer
    bits_activations: 8
    bits_weights: 4
    overrides:
      conv1: {bits_weights: null, bits_activations: null}
      fc.*:
        bits_weights: 8
lr_schedulers:
  step:
    class: MultiStepMultiGammaLR
    milestones: [4, 8]
    gammas: [0.1, 0.2]
policies:
- pruner:
    instance_name: low_pruner
  starting_epoch: 0
  ending_epoch: 4
  frequency: 1
- pruner:
    instance_name: sensitive
  epochs: [5, 6]
- quantizer:
    instance_name: dorefa
  starting_epoch: 6
  ending_epoch: 9
  frequency: 1
- lr_scheduler:
    instance_name: step
  starting_epoch: 0
  ending_epoch: 10
  frequency: 1
"""
AI8X = """---
start_epoch: 10
weight_bits: 8
shift_quantile: 0.95
outlier_removal_z_score: 8.0
overrides:
  conv1:
    weight_bits: 4
  conv2:
    weight_bits: 2
"""
NNI = """config_list:
- op_names: [layer.0, layer.1]
  sparse_ratio: 0.5
- op_types: [Linear]
  exclude_op_names: [layer.2]
  sparse_ratio: 0.6
  target_settings:
    weight:
      granularity: [4, 4]
      sparse_ratio: 0.7
- op_names_re: ['layer.*']
  quant_dtype: int8
  target_names: [weight, _input_]
  fuse_names: [[conv1, bn1], [conv2, bn2]]
"""
# Findings whose help has code for the script.
SAVES = """import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-8B')
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
model.save_pretrained('out')
"""

NNI_SCRIPT = """from nni.compression.pruning import AGPPruner
size = 4
config_list = [
    {'op_names': ['layer.0', 'layer.1'], 'sparse_ratio': 0.5},
    {'op_types': ['Linear'], 'sparse_ratio': 0.6},
]
pruner = AGPPruner(model, config_list, total_times=3)
"""
SCRIPT = """from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier
name = 'model'
settings = {'targets': 'Linear', 'scheme': 'W4A16'}
def build(scheme, ignore=None):
    value = 1
    return GPTQModifier(targets='Linear', scheme=scheme, ignore=['lm_head'])
class Options:
    scheme = 'W4A16'
if name == 'model':
    other = 2
for each in ['a', 'b']:
    value = each + f'{name}.{each}'
with open(name) as file:
    pass
try:
    third = 3
except ValueError:
    third = 4
while name:
    break
names = [each for each in ['a', 'b']]
ignored = ['lm_head', name]
text = 'a' 'b' + 'c'
settings['ignore'] = ignored
settings.update({'block_size': 128})
recipe = [GPTQModifier(targets=['Linear', 'Conv2d'], scheme='W4A16', ignore=['lm_head']), build('W8A8')]
oneshot(model=name, recipe=recipe)
"""
RECIPE_IN_TEXT = "q_stage:\n  q_modifiers:\n    GPTQModifier:\n      targets: [Linear]\n      scheme: W4A16\n      ignore: [lm_head]\n"
MARKDOWN = f"""# Title

Text with `code` and [a link](https://example.org).

- an item
  - a nested item

> a quotation

| a | b |
| - | - |
| c | d |

```yaml
{RECIPE_IN_TEXT}```

```python
from llmcompressor.modifiers.quantization import GPTQModifier
recipe = GPTQModifier(targets='Linear', scheme='W4A16', ignore=['lm_head'])
```
"""
FRONT_MATTER = f"---\n{SPARSEML}---\n# Title\n\nText.\n"
WRAPPER = f"""model: name
recipe:
  q_stage:
    q_modifiers:
      GPTQModifier:
        targets: [$target0, $target1]
        scheme: $scheme
        ignore: [lm_head]
recipe_args:
  scheme: W4A16
  target0: 1
  target1: 2
"""
AXOLOTL = """base_model: name
plugins:
- axolotl.integrations.llm_compressor.LLMCompressorPlugin
llmcompressor:
  recipe:
    finetuning_stage:
      finetuning_modifiers:
        ConstantPruningModifier:
          targets: ['re:.*q_proj.weight']
          start: 0
  save_compressed: true
"""
SETTINGS = """fail-on: warning
select: [SP, LC]
ignore: [SP202]
severity: {SP204: error, SP301: info}
exclude: [old/, '*.draft.yaml']
custom:
  MyModifier: {like: GMPruningModifier, fields: {block_pairs: int}}
  OtherModifier:
    fields: any
per-file:
  'bert/*.yaml':
    epochs: 3
  'resnet/*.yaml': {epochs: 4}
"""
ARGS = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 128}
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "hidden_size": 64,
    "quantization_config": {
        "quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head", "re:.*gate$"],
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": ARGS}},
        "kv_cache_scheme": {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "tensor"}}}
LLAMA = {**CONFIG, "model_type": "llama", "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 4,
         "num_hidden_layers": 2, "vocab_size": 100}
CHECKPOINT = {"architectures": ["LlamaForCausalLM"],
              "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128],
                                      "modules_to_not_convert": ["lm_head", "layers.0.up", ".*up"], "ignored_layers": ["fc"]}}
QUARK = {"quantization_config": {"quant_method": "quark", "export": {"kv_cache_group": []}, "exclude": ["*fc", "re:.*up"],
                                 "global_quant_config": {"weight": {"dtype": "int8"}},
                                 "layer_quant_config": {"*up": {"weight": {"dtype": "int4"}}}}}
MLX = {"model_type": "llama", "quantization": {"group_size": 64, "bits": 4, "layers.0.up": {"bits": 8}, "fc": False}}
QUANTIZE = """#!/bin/sh
TYPE=Q4_K_M
llama-quantize --tensor-type fc=q8_0 --tensor-type 'layers.*up=q6_k' in.gguf out.gguf "$TYPE"
"""
NOTEBOOK = {"nbformat": 4, "cells": [
    {"cell_type": "code", "source": ["from llmcompressor.modifiers.quantization import GPTQModifier\n", "name = 1\n"], "outputs": []},
    {"cell_type": "markdown", "source": ["# Title\n", "text\n"]},
    {"cell_type": "code", "source": "recipe = GPTQModifier(targets='Linear', scheme='W4A16', ignore=['lm_head'])\n", "outputs": [{"text": ["a\n"]}]}]}
SCHEDULE = {"format": 1, "dialect": "sparseml", "actions": [
    {"effect": {"kind": "SetLearningRate", "rate": 0.1}, "cadence": {"kind": "since_last_update", "start": 1.0, "end": -1.0},
     "origin": {"class": "SetLearningRateModifier", "ordinal": 1}}]}
BASELINE = {"format": 1, "findings": [{"path": "r.yaml", "code": "SP202", "text": "start_epoch: 0.0", "count": 1}]}
SHORT = SPARSEML.replace("[fc.weight, 're:.*conv.*']", "['re:.*[.]weight', fc.weight, a.0.weight]")
NAMES = "fc.weight\nlayers.0.up.weight\t64x64\nlayers.1.up.weight\tLinear\t64x64\n"
MODULES = "fc\tLinear\t64x64\nlayers.0.up\tLinear\t64x64\nlayers.0.up.act\tReLU\n"
SHAPES = {"fc.weight": [64, 64], "layers.0.up.weight": {"shape": [64, 64]}}
INDEX = {"metadata": {"total_size": 1}, "weight_map": {"fc.weight": "a.safetensors", "layers.0.up.weight": "a.safetensors"}}
HEADER = {"__metadata__": {"format": "pt"}, "fc.weight": {"dtype": "F32", "shape": [64, 64], "data_offsets": [0, 1]},
          "a.weight": {"dtype": "F32", "shape": [64], "data_offsets": [1, 2]}}
PACKED = {f"model.layers.0.mlp.up_proj.weight_{part}": {"dtype": "I32", "shape": [128, 8], "data_offsets": [0, 4096]}
          for part in ("packed", "scale")}
PACKED_INDEX = {"metadata": {"total_size": 8192}, "weight_map": {name: "a.safetensors" for name in PACKED}}
MATCH = ("match",)


def seeds():
    yaml = {"sparseml": SPARSEML, "staged": STAGED, "llm-compressor": LLM_COMPRESSOR, "distiller": DISTILLER, "ai8x": AI8X,
            "nni": NNI, "wrapper": WRAPPER, "axolotl": AXOLOTL}
    options = {"distiller": ("--from", "distiller"), "ai8x": ("--from", "ai8x"), "nni": ("--from", "nni")}
    for name, text in yaml.items():
        yield Seed(name, "r.yaml", text, (*VALIDATE, *options.get(name, ())))
    yield Seed("nni script", "r.py", NNI_SCRIPT)
    yield Seed("script", "r.py", SCRIPT)
    yield Seed("saves", "r.py", SAVES)
    yield Seed("markdown", "r.md", MARKDOWN)
    yield Seed("front matter", "r.md", FRONT_MATTER)
    yield Seed("settings", ".sparsecfg.yaml", SETTINGS, VALIDATE, "r.yaml", {"r.yaml": SPARSEML})
    yield Seed("ignored files", ".gitignore", "old/\n*.draft.yaml\n!a.yaml\n# text\n", VALIDATE, ".", {"a/r.yaml": SPARSEML})
    for name, value in (("config", CONFIG), ("model config", LLAMA), ("notebook", NOTEBOOK), ("schedule", SCHEDULE)):
        file = "config.json" if "config" in name else "r.ipynb" if name == "notebook" else "r.json"
        yield Seed(name, file, json.dumps(value))
    for name, value in (("checkpoint", CHECKPOINT), ("quark", QUARK), ("mlx", MLX)):
        yield Seed(name, "config.json", json.dumps(value), (*VALIDATE, "--modules", "n.tsv"), "config.json", {"n.tsv": MODULES})
    yield Seed("quantize script", "q.sh", QUANTIZE, (*VALIDATE, "--params", "n.txt"), "q.sh", {"n.txt": NAMES})
    yield Seed("baseline", "b.json", json.dumps(BASELINE), (*VALIDATE, "--baseline", "b.json"), "r.yaml", {"r.yaml": SPARSEML})
    yield Seed("names", "n.txt", NAMES, (*MATCH, "--params", "n.txt"), "r.yaml", {"r.yaml": SHORT})
    yield Seed("modules", "n.tsv", MODULES, (*MATCH, "--modules", "n.tsv"), "r.yaml", {"r.yaml": LLM_COMPRESSOR})
    for name, value in (("shapes", SHAPES), ("index", INDEX)):
        yield Seed(name, f"{name}.json", json.dumps(value), (*MATCH, "--params", f"{name}.json"), "r.yaml", {"r.yaml": SHORT})
    yield Seed("header", "m.safetensors", json.dumps(HEADER), (*MATCH, "--params", "m.safetensors"), "r.yaml", {"r.yaml": SHORT})
    yield Seed("weights", "model.safetensors", json.dumps(PACKED), VALIDATE, "config.json", {"config.json": json.dumps(LLAMA)})
    yield Seed("weights index", "model.safetensors.index.json", json.dumps(PACKED_INDEX), VALIDATE, "config.json", {
        "config.json": json.dumps(LLAMA), "a.safetensors": packed(json.dumps(PACKED).ljust(256).encode()).decode()})
    yield Seed("qat policy", "q.yaml", AI8X, (*VALIDATE, "--from", "ai8x", "--qat-policy", "q.yaml"), "r.yaml", {"r.yaml": AI8X})


# --- lines ------------------------------------------------------------------------------------------

def part_at(lines: List[str], begin: int):
    """The end of the part that begins with a line: this line and what is nested in it."""
    indentation = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    if lines[begin].startswith("```") and lines[begin].strip() != "```":
        while lines[end].strip() != "```":
            end += 1
        return end + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indentation):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    return end


FIRST_WORD = re.compile(r"[A-Za-z_][A-Za-z_.0-9]*")


def numbered_name(part, at):
    return FIRST_WORD.sub(lambda word: f"{word.group()}{at:06}", part, count=1)


def numbered_value(part, at):
    line, break_, rest = part.partition("\n")
    head, number = re.fullmatch(r"(.*?)([\w.]*\W*)", line).groups()
    word = re.match(r"[\w.]*", number).group()
    return f"{head}{word}{at:06}{number[len(word):]}{break_}{rest}"


def same(part, _):
    return part


def numbered_words(part, at):
    return re.sub(r"\w[\w.]*", lambda word: f"{word.group()}{at:06}", part)


MODES = {"same": same, "names": numbered_name, "values": numbered_value}


def kinds_of_lines(seed):
    lines = seed.text.splitlines(keepends=True)
    for begin, line in enumerate(lines):
        if not line.strip() or line.strip() == "```":
            continue
        end = part_at(lines, begin)
        before, part, after = "".join(lines[:begin]), "".join(lines[begin:end]), "".join(lines[end:])
        for mode, change in MODES.items():
            yield Kind(f"{seed.name}: `{line.strip()[:40]}`, {mode}", seed,
                       lambda n, b=before, p=part, a=after, c=change: (b + "".join(c(p, at) for at in range(n)) + a).encode())
        yield from kinds_of_items(seed, before, line, "".join(lines[begin + 1:]))


def first_items(line):
    """The places of the first item in each pair of brackets of a line, which may contain brackets itself."""
    open_ones = []  # places of brackets, each with the end of its first item
    for at, letter in enumerate(line):
        if letter in "[({":
            open_ones.append([at + 1, None])
        elif open_ones and (letter in "])}" or line.startswith(", ", at)):
            open_ones[-1][1] = open_ones[-1][1] or at
            if letter != ",":
                yield tuple(open_ones.pop())


def kinds_of_items(seed, before, line, after):
    for begin, end in first_items(line):
        head, item, tail = before + line[:begin], line[begin:end], line[begin:] + after
        for mode, change in {**MODES, "all": numbered_words}.items():
            if item.strip():
                yield Kind(f"{seed.name}: item `{item[:40]}` of `{line.strip()[:30]}`, {mode}", seed,
                           lambda n, h=head, i=item, t=tail, c=change: (h + "".join(c(i, at) + ", " for at in range(n)) + t).encode())


# --- pairs ------------------------------------------------------------------------------------------

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def spans_of_parts(lines):
    for begin, line in enumerate(lines):
        if line.strip() and line.strip() != "```":
            yield begin, part_at(lines, begin)


def numbered_word(word):
    """Numbers a word that both parts of a pair contain, so that the copies of one refer to those of the other."""
    pattern = re.compile(rf"(?<![A-Za-z_0-9]){word}(?![A-Za-z_0-9])")
    return lambda part, at: pattern.sub(lambda found: f"{found.group()}{at:06}", part)


def pair(seed, lines, spans, changes, name):
    (a, b), (c, d) = spans
    parts = ["".join(lines[begin:end]) for begin, end in ((0, a), (a, b), (b, c), (c, d), (d, len(lines)))]

    def content(n):
        first, second = ("".join(change(part, at) for at in range(n)) for part, change in zip((parts[1], parts[3]), changes))
        return (parts[0] + first + parts[2] + second + parts[4]).encode()
    return Kind(f"{seed.name}: {name}", seed, content)


def random_pair(seed, random):
    """Two parts of a seed that are repeated together; or None if the random parts overlap."""
    lines = seed.text.splitlines(keepends=True)
    (a, b), (c, d) = sorted(random.sample(list(spans_of_parts(lines)), 2))
    if b > c:
        return None
    first, second = "".join(lines[a:b]), "".join(lines[c:d])
    shared = sorted(set(WORD.findall(first)) & set(WORD.findall(second)))
    if shared and random.random() < 0.7:
        mode = random.choice(shared)
        changes = (numbered_word(mode),) * 2
    else:
        modes = random.choices(list(MODES), k=2)
        mode, changes = " and ".join(modes), [MODES[each] for each in modes]
    return pair(seed, lines, ((a, b), (c, d)), changes, f"`{lines[a].strip()[:30]}` and `{lines[c].strip()[:30]}`, {mode}")


def random_pairs(from_seeds, random, count):
    texts = [seed for seed in from_seeds if len(seed.text.splitlines()) > 2]
    while count > 0 and texts:
        found = random_pair(random.choice(texts), random)
        if found is not None:
            count -= 1
            yield found


# --- JSON -------------------------------------------------------------------------------------------

def numbered_strings(value, at):
    if isinstance(value, str):
        return f"{value}{at:06}"
    if isinstance(value, list):
        return [numbered_strings(each, at) for each in value]
    if isinstance(value, dict):
        return {key: numbered_strings(each, at) for key, each in value.items()}
    return value


def containers(value, path=()):
    if isinstance(value, (list, dict)) and value:
        yield path
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(each, (*path, key))


def grown(whole, path, n, number):
    """A copy of JSON in which the first element of the container at `path` is repeated."""
    parents = copy.deepcopy(whole)
    holder = [parents]
    at = (0, *path)
    target = holder
    for key in at[:-1]:
        target = target[key]
    old = target[at[-1]]
    change = numbered_strings if number else lambda value, _: value
    if isinstance(old, list):
        target[at[-1]] = [change(old[0], each) for each in range(n)] + old
    else:
        key, value = next((pair for pair in old.items() if not pair[0].startswith("__")), next(iter(old.items())))
        target[at[-1]] = {**{f"{key}{each:06}": change(value, each) for each in range(n)}, **old}
    return holder[0]


def packed(header):
    return struct.pack("<Q", len(header)) + header


def json_of(seed, value):
    text = json.dumps(value).encode()
    return packed(text) if seed.file.endswith(".safetensors") else text


def kinds_of_json(seed):
    whole = json.loads(seed.text)
    for path in containers(whole):
        for mode, number in (("same", False), ("values", True)):
            yield Kind(f"{seed.name}: {'/'.join(map(str, path)) or 'whole'}, {mode}", seed,
                       lambda n, p=path, m=number: json_of(seed, grown(whole, p, n, m)))


# --- chains -----------------------------------------------------------------------------------------

SCRIPT_HEAD = "from llmcompressor.modifiers.quantization import GPTQModifier\n"
SCRIPT_TAIL = "x = GPTQModifier(targets='Linear', scheme='W4A16', ignore=['lm_head'])\n"
HEAD = "training_modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 20.0\n"


def chain(name, file, before, part, after, command=VALIDATE):
    return Kind(f"chain: {name}", Seed(name, file, "", command),
                lambda n: (before + "".join(part.replace("@-", f"{at:06}").replace("@", f"{at + 1:06}") for at in range(n)) + after).encode())


def chains():
    for name, part, end in (
            ("terms", "1 + ", "1"), ("attributes", "a.", "b"), ("parentheses", "(", "1"), ("lists", "[", "1"), ("spreads", "[*", "1"),
            ("awaits", "await ", "a"), ("negations", "not ", "a"), ("signs", "-", "1"), ("lambdas", "lambda a: ", "1"),
            ("conditions", "1 if a else ", "1"), ("strings", "'a' ", "'b'"), ("calls", "f(", "1"), ("comparisons", "a < ", "1"),
            ("alternatives", "a or ", "b"), ("subscripts", "a[", "1"), ("names", "a@ = ", "1"), ("keywords", "f(a=", "1")):
        yield chain(f"script {name}", "r.py", SCRIPT_HEAD + "y = ", part, end + "\n" + SCRIPT_TAIL)
    for name, part in (("doubled strings", "s += s\n"), ("copied names", "a@ = a@-\n"), ("nested ifs", "if a: b = 1\n"),
                       ("dictionary keys", "s[@] = 1\n"), ("comprehensions", "[z for z in [1]]\n"), ("updates", "d.update(d)\n"),
                       ("loops", "for i in [1, 2]: b = i\n"), ("removals", "l.append(@)\nl.remove(@)\n"), ("memberships", "l.append(@)\nb = -1 in l\n"),
                       ("comparisons of lists", "l.append(@)\nb = l == list(l)\n"), ("functions", "def f@(): return f@-()\n"), ("appends", "l.append(l)\n")):
        yield chain(f"script {name}", "r.py", SCRIPT_HEAD + "a000000 = 1\ns = {}\nd = {'a': 1}\nl = []\n", part, SCRIPT_TAIL)
    yield chain("variables", "r.yaml", "v000000: 1.0\n", "v@: eval(v@- * 1.0)\n", HEAD)
    yield chain("resolved variables", "r.yaml", "v000000: 1.0\n", "v@: eval(v@- * 1.0)\n", HEAD, ("normalize", "--resolve"))
    yield chain("merges", "r.yaml", "a000000: &a000000 {k: 1}\n", "a@: &a@ {<<: *a@-, k@: 1}\n", HEAD)
    yield chain("aliases", "r.yaml", "a000000: &a000000 [1]\n", "a@: &a@ [*a@-]\n", HEAD)
    yield chain("flow lists", "r.yaml", HEAD + "a: ", "[", "\n")
    yield chain("flow mappings", "r.yaml", HEAD + "a: ", "{a: ", "\n")
    yield chain("block lists", "r.yaml", HEAD + "a:\n ", "- ", "1\n")
    yield chain("comments", "r.yaml", HEAD, "# sparsecfg: ignore[SP2@]\n", "")
    yield chain("documents", "r.yaml", HEAD, "---\na: 1\n", "")
    yield chain("quotations", "r.md", "", "> ", "a\n" + MARKDOWN)
    yield chain("fences", "r.md", MARKDOWN, "```yaml\na@: 1\n```\n", "")
    yield chain("open fences", "r.md", MARKDOWN, "`````a\n", "")
    yield chain("terms of eval", "r.yaml", "v: eval(1", " + 1", ")\n" + HEAD)
    yield chain("bytes without a line break", "r.yaml", HEAD + "a: [", "b@, ", "c]\n")
    yield chain("trailing spaces", "r.yaml", HEAD, "\t \r", "\n")
    yield chain("letters beyond ASCII", "r.yaml", HEAD + "# ", "\u20ac\U0001f600", "\n")


def seed_of_file(path):
    """A seed of a recipe that somebody wrote; or None for a file that cannot be repeated."""
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            text = file.read()
        if text.startswith(("{", "[")):
            json.loads(text)
    except ValueError:
        return None
    name = os.path.basename(path)
    file = name if name == "config.json" else "r" + os.path.splitext(name)[1]
    return Seed(path, file, text) if 20 < len(text) < 20_000 else None


def every_kind(from_seeds=None):
    seen = set()
    for seed in seeds() if from_seeds is None else from_seeds:
        json_text = seed.text.startswith(("{", "["))
        for kind in (kinds_of_json if json_text else kinds_of_lines)(seed):
            content = kind.content(3)
            if (seed.name, content) not in seen:
                seen.add((seed.name, content))
                yield kind
    if from_seeds is None:
        yield from chains()
