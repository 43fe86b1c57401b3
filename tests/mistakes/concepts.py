"""Conceptual mistakes: a concept of one system, unit, release or runtime in a recipe of another.

A concept has the fields that are right and the fields that users write instead. A frame writes either of them into a
recipe, in one of the languages of the dialect. `same` lists further right fields whose outcome is accepted as well.
"""

import dataclasses
import json
import re


@dataclasses.dataclass
class Concept:
    name: str
    frame: str      # a frame below
    owner: str      # the class or section with the fields
    right: dict
    wrong: dict
    shared: dict = dataclasses.field(default_factory=dict)  # fields of both
    same: list = dataclasses.field(default_factory=list)    # other accepted versions of `right`


class Flow(dict):
    """A mapping that YAML writes on one line."""


# --- languages ------------------------------------------------------------------------------------


def plain(text):
    special = text == "" or re.fullmatch(r"\d+:\d+", text) or text[0] in "*&!%@`\"'[]{}|>-?#,:" or ": " in text or " #" in text or "\\" in text or "re:" in text
    return "'" + text.replace("'", "''") + "'" if special or text.lower() in ("true", "false", "null", "no", "yes") else text


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(each) for each in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else plain(value) if isinstance(value, str) else repr(value)


def python(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {python(each)}' for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(python(each) for each in value) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def yaml_lines(fields, indent):
    return [f"{' ' * indent}{key}: {flow(value)}" for key, value in fields.items()]


def python_lines(fields, indent):
    return [f"{' ' * indent}{key}={python(value)}," for key, value in fields.items()]


def json_lines(fields, indent):
    lines = [f'{" " * indent}"{key}": {json.dumps(value)}' for key, value in fields.items()]
    return [line + "," for line in lines[:-1]] + lines[-1:]


# --- frames: return the lines of a recipe and the name of its file -----------------------------------


def modifier_yaml(owner, fields, chance):
    lines = ["quant_stage:", "  quant_modifiers:"]
    if owner != "SmoothQuantModifier" and owner in ("GPTQModifier", "QuantizationModifier") and chance.random() < 0.3:
        lines += ["    SmoothQuantModifier:", f"      smoothing_strength: {chance.choice([0.5, 0.7, 0.8])}"]
    return [*lines, f"    {owner}:", *yaml_lines(fields, 6)], "recipe.yaml"


def beside(owner, fields, chance):
    """Fields whose names begin with `<` are written beside the modifier."""
    own = {key: value for key, value in fields.items() if not key.startswith("<")}
    others = {key[1:]: value for key, value in fields.items() if key.startswith("<")}
    return ["quant_stage:", "  quant_modifiers:", f"    {owner}:", *yaml_lines(own, 6), *yaml_lines(others, 4)], "recipe.yaml"


def modifier_python(owner, fields, chance):
    package = {"SmoothQuantModifier": "llmcompressor.modifiers.transform.smoothquant", "AWQModifier": "llmcompressor.modifiers.transform.awq",
               "SparseGPTModifier": "llmcompressor.modifiers.pruning", "WandaPruningModifier": "llmcompressor.modifiers.pruning"}
    return ["from llmcompressor import oneshot",
            f"from {package.get(owner, 'llmcompressor.modifiers.quantization')} import {owner}", "",
            f"recipe = {owner}(", *python_lines(fields, 4), ")",
            f'oneshot(model="m", dataset="{chance.choice(["open-platypus", "open_platypus"])}", recipe=recipe)'], "recipe.py"


def modifier(owner, fields, chance):
    return chance.choice([modifier_yaml, modifier_yaml, modifier_python])(owner, fields, chance)


def group(owner, fields, chance):
    """The arguments of the weights of a group, in a recipe or in a config.json."""
    if chance.random() < 0.4:
        return ["{", '  "architectures": ["LlamaForCausalLM"],', '  "quantization_config": {',
                '    "quant_method": "compressed-tensors",', '    "format": "pack-quantized",',
                '    "quantization_status": "compressed",', '    "ignore": ["lm_head"],', '    "config_groups": {',
                '      "group_0": {', '        "targets": ["Linear"],', '        "weights": {',
                *json_lines(fields, 10), "        }", "      }", "    }", "  }", "}"], "config.json"
    return ["quant_stage:", "  quant_modifiers:", "    QuantizationModifier:", "      ignore: [lm_head]",
            "      config_groups:", "        group_0:", "          targets: [Linear]", "          weights:",
            *yaml_lines(fields, 12)], "recipe.yaml"


def in_group(owner, fields, chance):
    """The fields of a group, in a recipe."""
    return ["quant_stage:", "  quant_modifiers:", "    QuantizationModifier:", "      ignore: [lm_head]",
            "      config_groups:", "        group_0:", *yaml_lines(fields, 10)], "recipe.yaml"


def sparseml(owner, fields, chance):
    epochs = chance.choice([40, 50, 60, 100])
    return ["modifiers:", "  - !EpochRangeModifier", "    start_epoch: 0.0", f"    end_epoch: {epochs}.0",
            f"  - !{owner}", *yaml_lines(fields, 4)], "recipe.yaml"


def after_warmup(owner, fields, chance):
    """A schedule of the learning rate after a warmup."""
    warmup = fields.pop("warmup")
    return ["modifiers:", "  - !EpochRangeModifier", "    start_epoch: 0.0", "    end_epoch: 40.0",
            f"  - !{owner}", "    start_epoch: 0.0", f"    end_epoch: {warmup}", "    lr_func: linear", "    init_lr: 0.0",
            "    final_lr: 0.01", f"  - !{owner}", *yaml_lines(fields, 4)], "recipe.yaml"


def before_end(owner, fields, chance):
    """A schedule of the learning rate before a last phase with another one."""
    return ["modifiers:", "  - !EpochRangeModifier", "    start_epoch: 0.0", "    end_epoch: 40.0",
            f"  - !{owner}", "    start_epoch: 0.0", *yaml_lines(fields, 4), "    lr_func: cosine", "    init_lr: 0.01",
            "    final_lr: 0.001", f"  - !{owner}", "    start_epoch: 35.0", "    end_epoch: 40.0", "    lr_func: linear",
            "    init_lr: 0.001", "    final_lr: 0.0001"], "recipe.yaml"


def staged(owner, fields, chance):
    """A modifier of a stage with its last fields below it or, by mistake, beside it."""
    last = {"ignore": ["lm_head"], **chance.choice([{}, {"dampening_frac": 0.05}, {"block_size": 64}])}
    return ["quant_stage:", "  quant_modifiers:", f"    {owner}:", "      targets: [Linear]", "      scheme: W4A16",
            *yaml_lines(last, 6 if fields["inside"] else 4)], "recipe.yaml"


def distiller(owner, fields, chance):
    policy = {"starting_epoch": 0, "ending_epoch": 30, "frequency": 2}
    return ["version: 1", "pruners:", "  my_pruner:", f"    class: {owner}", *yaml_lines(fields, 4), "policies:",
            "  - pruner:", "      instance_name: my_pruner", *yaml_lines(policy, 4)], "schedule.yaml"


def distiller_policy(owner, fields, chance):
    return ["version: 1", "pruners:", "  my_pruner:", "    class: AutomatedGradualPruner", "    initial_sparsity: 0.05",
            "    final_sparsity: 0.8", "    weights: [conv1.weight, fc.weight]", "policies:", "  - pruner:",
            "      instance_name: my_pruner", *yaml_lines(fields, 4)], "schedule.yaml"


def nni(owner, fields, chance):
    first = True
    lines = []
    for line in yaml_lines(fields, 2):
        lines.append("- " + line[2:] if first else line)
        first = False
    return lines, "config_list.yaml"


def gptqmodel(owner, fields, chance):
    return ["from gptqmodel import GPTQModel, QuantizeConfig", "", "config = QuantizeConfig(", *python_lines(fields, 4),
            ")", 'model = GPTQModel.load("m", config)', "model.quantize(data)"], "quantize.py"


def autoround(owner, fields, chance):
    return ["from auto_round import AutoRound", "", "autoround = AutoRound(", "    model,", "    tokenizer,",
            *python_lines(fields, 4), ")", "autoround.quantize()"], "quantize.py"


def checkpoint(owner, fields, chance):
    return ["{", '  "architectures": ["LlamaForCausalLM"],', '  "quantization_config": {', *json_lines(fields, 4),
            "  }", "}"], "config.json"


FRAMES = {"modifier": modifier, "beside": beside, "after_warmup": after_warmup, "before_end": before_end, "staged": staged,
          "group": group, "in_group": in_group, "sparseml": sparseml, "distiller": distiller,
          "distiller_policy": distiller_policy, "nni": nni, "gptqmodel": gptqmodel, "autoround": autoround,
          "checkpoint": checkpoint}


# --- concepts -------------------------------------------------------------------------------------


def quantizers(chance):
    return chance.choice(["GPTQModifier", "QuantizationModifier"])


def llm_compressor(chance):
    owner = quantizers(chance)
    size = chance.choice([32, 64])
    base = {"targets": ["Linear"], "ignore": ["lm_head"]}
    skipped = chance.choice(["re:.*down_proj", "re:.*o_proj", "re:.*gate_up_proj"])
    weights = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": size}
    groups = {"config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}

    def field(name, right, wrong, shared=base, who=owner, same=()):
        return Concept(name, "modifier", who, right, wrong, dict(shared), list(same))

    yield field("bitsandbytes: 4 bits", {"scheme": "W4A16"}, {"load_in_4bit": True})
    yield field("bitsandbytes: all fields", {"scheme": "W4A16"},
                {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": "bfloat16"})
    yield field("bitsandbytes: 8 bits", {"scheme": "W8A16"}, {"load_in_8bit": True})
    yield field("GPTQModel: bits", {"scheme": "W4A16"}, {chance.choice(["bits", "wbits", "w_bit", "nbits"]): 4})
    yield field("GPTQModel: bits and groups", {"scheme": "W4A16"},
                {"bits": 4, chance.choice(["group_size", "groupsize", "q_group_size"]): 128, "sym": True})
    yield field("GPTQModel: small groups", groups, {"bits": 4, "group_size": size}, {"ignore": ["lm_head"]})
    yield field("AutoAWQ: fields", {"scheme": "W4A16_ASYM"}, {"w_bit": 4, "q_group_size": 128, "zero_point": True})
    yield field("group size beside a preset", groups, {"scheme": "W4A16", "group_size": size}, {"ignore": ["lm_head"]})
    yield field("preset of another size", groups, {"scheme": f"W4A16_G{size}"}, {"ignore": ["lm_head"]})
    yield field("preset of torchao", {"scheme": "W4A16"}, {"scheme": chance.choice(["int4_weight_only", "int4wo", "INT4-WO"])})
    yield field("dynamic preset of torchao", {"scheme": "W8A8"}, {"scheme": "int8_dynamic_activation_int8_weight"})
    yield field("preset of ModelOpt", {"scheme": "NVFP4"}, {"scheme": chance.choice(["NVFP4_DEFAULT_CFG", "nvfp4_default_cfg"])})
    yield field("AWQ preset of ModelOpt", {"scheme": "W4A16"}, {"scheme": "INT4_AWQ_CFG"})
    yield field("type of llama.cpp", {"scheme": "W4A16"}, {"scheme": chance.choice(["Q4_K_M", "IQ4_XS", "Q4_0"])})
    yield field("skipped modules", {"ignore": ["lm_head"]},
                {chance.choice(["modules_to_not_convert", "exclude_modules", "llm_int8_skip_modules", "exclude", "skip", "skip_modules"]): ["lm_head"]},
                {"targets": ["Linear"], "scheme": "W8A8"})
    yield field("skipped modules beside ignore", {"ignore": ["lm_head", skipped]},
                {"ignore": ["lm_head"], chance.choice(["modules_to_not_convert", "exclude", "skip", "exclude_modules"]): [skipped]},
                {"targets": ["Linear"], "scheme": "W8A8"})
    yield field("arguments of oneshot", {}, {chance.choice(["max_seq_length", "num_calibration_samples", "batch_size", "seqlen", "nsamples"]): 512},
                {**base, "scheme": "W4A16"})
    yield field("PEFT: target_modules", {"targets": ["Linear"]}, {"target_modules": ["Linear"]}, {"scheme": "W4A16", "ignore": ["lm_head"]})
    yield field("scheme as arguments", groups, {"scheme": weights}, {"ignore": ["lm_head"]})
    yield field("desc_act", {"actorder": "group"}, {"desc_act": True}, {**base, "scheme": "W4A16"}, "GPTQModifier")
    yield field("damp_percent", {"dampening_frac": 0.05}, {chance.choice(["damp_percent", "percdamp"]): 0.05}, {**base, "scheme": "W4A16"}, "GPTQModifier")
    yield field("strength in percent", {"smoothing_strength": 0.8}, {"smoothing_strength": 80}, {}, "SmoothQuantModifier")
    yield field("sparsity in percent", {"sparsity": 0.5}, {"sparsity": 50}, {"targets": ["Linear"], "mask_structure": "2:4"}, "SparseGPTModifier")
    yield field("sparsity of another mask", {"sparsity": 0.5}, {"sparsity": 0.8}, {"targets": ["Linear"], "mask_structure": "2:4"}, "SparseGPTModifier")
    yield field("glob of ModelOpt", {"ignore": ["re:.*lm_head.*"]}, {"ignore": ["*lm_head*"]}, {"targets": ["Linear"], "scheme": "FP8_DYNAMIC"},
                same=[{"ignore": ["lm_head"]}])
    yield field("typographic quotes", {"ignore": ["lm_head", skipped]}, {"ignore": ["lm_head", f"“{skipped}”"]}, {"targets": ["Linear"], "scheme": "W8A8"})


    cache = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "tensor", "dynamic": False}
    yield field("cache as a word", {"kv_cache_scheme": cache}, {"kv_cache_scheme": chance.choice(["fp8", "fp8_e4m3", "float8"])},
                {**base, "scheme": "FP8_DYNAMIC"}, "QuantizationModifier")
    group = {"targets": ["Linear"], "weights": weights}
    yield field("list of groups", {"config_groups": {"group_0": group}}, {"config_groups": [group]}, {"ignore": ["lm_head"]})
    yield field("parts without a group", groups, {"weights": weights}, {"ignore": ["lm_head"]})
    yield field("group without config_groups", groups, {"group_0": group}, {"ignore": ["lm_head"]})
    names = chance.choice([["q_proj", "v_proj"], ["gate_proj", "up_proj"], ["q_proj", "k_proj", "v_proj", "o_proj"]])
    yield field("PEFT: names of layers", {"targets": [f"re:.*{name}$" for name in names]}, {"targets": names}, {"scheme": "W8A16"})
    yield field("class of blocks", {"targets": ["Linear"]}, {"targets": [chance.choice(["LlamaDecoderLayer", "Qwen3DecoderLayer"])]},
                {"scheme": "W8A8", "ignore": ["lm_head"]})
    yield field("class of a part of blocks", {"targets": ["re:.*mlp\\..*"]}, {"targets": [chance.choice(["LlamaMLP", "Qwen2MLP"])]}, {"scheme": "FP8_DYNAMIC"})
    first, second = chance.choice([("targets", "scheme"), ("scheme", "ignore"), ("ignore", "targets")])
    every = {**base, "scheme": chance.choice(["W8A8", "W4A16", "FP8_DYNAMIC"])}
    yield Concept("fields beside the modifier", "beside", owner, {first: every[first], second: every[second]},
                  {f"<{first}": every[first], f"<{second}": every[second]},
                  {key: value for key, value in every.items() if key not in (first, second)})
    yield Concept("field beside its modifier", "staged", "GPTQModifier", {"inside": True}, {"inside": False})
    yield field("epochs of SparseML", {}, {"start_epoch": 0.0, chance.choice(["disable_observer_epoch", "freeze_bn_stats_epoch"]): 0.5},
                {**base, "scheme": "W8A8"}, "QuantizationModifier")


def groups(chance):
    base = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 128}

    def change(name, wrong, right=None, without=(), shared=base):
        right = base if right is None else right
        return Concept(name, "group", "weights", {key: right[key] for key in right}, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("GPTQModel: bits", {"bits": 4}, without=["num_bits"])
    yield change("GPTQModel: sym", {"sym": True}, without=["symmetric"])
    yield change("AutoAWQ: q_group_size", {"q_group_size": 128}, without=["group_size"])
    yield change("strategy of torch", {"strategy": chance.choice(["per_group", "groupwise", "per-group"])}, without=["strategy"])
    yield change("type with a width", {"type": chance.choice(["int4", "INT4", "integer"])}, without=["type"])
    yield change("desc_act: false", {"desc_act": False})
    floats = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "block", "block_structure": [128, 128]}
    yield change("size of a block", {"group_size": 128}, floats, ["block_structure"])
    yield change("weights per token", {"strategy": "token"}, {"num_bits": 8, "type": chance.choice(["float", "int"]), "symmetric": True, "strategy": "channel"}, ["strategy"])
    nvfp4 = {"num_bits": 4, "type": "float", "symmetric": True, "strategy": "tensor_group", "group_size": 16}
    yield change("groups of NVFP4", {}, nvfp4, ["group_size"])


def inside_groups(chance):
    weights = Flow(num_bits=4, type="int", symmetric=True, strategy="group", group_size=128)
    yield Concept("preset in a group", "in_group", "group", {"targets": ["Linear"], "weights": weights}, {"targets": ["Linear"], "scheme": "W4A16"})
    yield Concept("PEFT names", "in_group", "group", {"targets": ["Linear"], "weights": weights}, {"target_modules": ["Linear"], "weights": weights})


def sparseml_concepts(chance):
    ramp = {"start_epoch": 2.0, "end_epoch": 20.0, "update_frequency": 1.0}
    final = chance.choice([0.7, 0.8, 0.9])
    base = {"init_sparsity": 0.05, "final_sparsity": final, **ramp, "params": "__ALL_PRUNABLE__"}

    def change(name, wrong, without=(), right=None, owner="GMPruningModifier", base=base):
        right = right or base
        return Concept(name, "sparseml", owner, right, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("percent", {"final_sparsity": final * 100})
    yield change("Distiller: epochs", {"starting_epoch": 2.0, "ending_epoch": 20.0}, ["start_epoch", "end_epoch"])
    yield change("Distiller: frequency", {"frequency": 1.0}, ["update_frequency"])
    yield change("Distiller: initial sparsity", {"initial_sparsity": 0.05}, ["init_sparsity"])
    yield change("NNI: layer types", {"op_types": ["Conv2d", "Linear"]}, ["params"])
    yield change("llm-compressor: targets", {"targets": "__ALL_PRUNABLE__"}, ["params"])
    classes = change("class of layers", {"params": ["Linear"]}, ["params"])
    classes.same = [{**base, "params": ["__ALL_PRUNABLE__"]}]  # the token means the same in a list
    yield classes
    yield change("fraction as text", {"final_sparsity": {0.7: "7/10", 0.8: "4/5", 0.9: "9/10"}[final]})
    lr = {"start_epoch": 0.0, "learning_rate": 0.1}
    yield change("PyTorch: lr", {"lr": 0.1}, ["learning_rate"], lr, "SetLearningRateModifier")
    masked = {**base, "init_sparsity": 0.5, "final_sparsity": 0.5, "mask_type": "2:4"}
    yield change("ramp to an N:M mask", {"init_sparsity": 0.05}, right=masked)
    yield change("sparsity of another mask", {"final_sparsity": 0.8}, right=masked)
    pattern = {**base, "params": ["re:.*conv.*weight"]}
    yield change("glob", {"params": ["*conv*weight"]}, ["params"], pattern)
    yield change("typographic quotes", {"params": ["“re:.*conv.*weight”"]}, ["params"], pattern)
    warmup = chance.choice([2.0, 3.0, 5.0])
    cosine = {"start_epoch": warmup, "end_epoch": 40.0, "lr_func": "cosine", "init_lr": 0.01, "final_lr": 0.0001}
    yield Concept("PyTorch: cosine over the warmup", "after_warmup", "LearningRateFunctionModifier", cosine, {**cosine, "start_epoch": 0.0},
                  {"warmup": warmup})
    yield Concept("warmup in the cosine", "before_end", "LearningRateFunctionModifier", {"end_epoch": 35.0}, {"end_epoch": 40.0})


def distiller_concepts(chance):
    final = chance.choice([0.7, 0.8, 0.9])
    base = {"initial_sparsity": 0.05, "final_sparsity": final, "weights": ["conv1.weight", "fc.weight"]}

    def change(name, wrong, without=(), right=None, owner="AutomatedGradualPruner"):
        right = right or base
        return Concept(name, "distiller", owner, right, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("percent", {"final_sparsity": final * 100})
    yield change("SparseML: init_sparsity", {"init_sparsity": 0.05}, ["initial_sparsity"])
    yield change("SparseML: params", {"params": ["conv1.weight", "fc.weight"]}, ["weights"])
    yield change("fraction as text", {"final_sparsity": {0.7: "7/10", 0.8: "4/5", 0.9: "9/10"}[final]})
    levels = {"conv1.weight": final, "fc.weight": final}
    yield change("one level", {"levels": final, "weights": ["conv1.weight", "fc.weight"]}, right={"levels": levels}, owner="SparsityLevelParameterPruner")
    last = chance.choice([20, 30, 40])
    policy = {"starting_epoch": 0, "ending_epoch": last, "frequency": 2}
    yield Concept("SparseML: epochs", "distiller_policy", "policy", policy, {"start_epoch": 0, "end_epoch": last, "frequency": 2})
    yield Concept("SparseML: update_frequency", "distiller_policy", "policy", policy, {"starting_epoch": 0, "ending_epoch": last, "update_frequency": 2})
    yield Concept("range of epochs", "distiller_policy", "policy", {"starting_epoch": 0, "ending_epoch": last, "frequency": 1}, {"epochs": f"0-{last - 1}"})


def nni_concepts(chance):
    ratio = chance.choice([0.4, 0.5, 0.8])
    base = {"op_types": ["Linear"], "sparse_ratio": ratio}

    def change(name, wrong, without=(), right=None):
        right = right or base
        return Concept(name, "nni", "entry", right, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("percent", {"sparse_ratio": ratio * 100})
    yield change("fraction as text", {"sparse_ratio": {0.4: "2/5", 0.5: "1/2", 0.8: "4/5"}[ratio]})
    yield change("llm-compressor: targets", {"sparse_ratio": ratio, "targets": ["weight"]}, right={**base, "target_names": ["weight"]}, without=["target_names"])
    yield change("NNI 2: sparsity beside targets", {"sparsity": ratio}, ["sparse_ratio"], {**base, "target_names": ["weight", "bias"]})
    yield change("names in exclude", {"exclude": ["fc1"]}, ["exclude_op_names"], {**base, "exclude_op_names": ["fc1"]})
    quant = {"op_types": ["Linear"], "target_names": ["weight"], "quant_dtype": "int8", "quant_scheme": "symmetric", "granularity": "default"}
    yield change("NNI 2: quant_scheme", {"quant_scheme": "per_tensor_symmetric"}, right=quant)
    yield change("NNI 2: quant_bits", {"quant_bits": 8}, ["quant_dtype"], quant)
    both = {**quant, "target_names": ["weight", "_output_"], "granularity": "per_channel"}
    own = {**both, "target_settings": {"weight": {"quant_dtype": "int8", "granularity": "out_channel"}}}
    yield change("granularity of outputs for weights", {}, ["target_settings"], own)
    yield change("granularity of outputs for a weight", {"granularity": "per_channel"}, right={**quant, "granularity": "out_channel"})
    yield change("targets with underscores", {"target_names": ["_weight_"]}, right=quant)
    yield change("asymmetric", {"quant_scheme": "asymmetric"}, right={**quant, "quant_scheme": "affine"})


def gptqmodel_concepts(chance):
    base = {"bits": 4, "group_size": chance.choice([64, 128]), "sym": True, "desc_act": False}

    def change(name, wrong, without=(), right=None):
        right = right or base
        return Concept(name, "gptqmodel", "QuantizeConfig", right, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("compressed-tensors: num_bits", {"num_bits": 4}, ["bits"])
    yield change("AutoAWQ: w_bit", {"w_bit": 4}, ["bits"])
    yield change("compressed-tensors: symmetric", {"symmetric": True}, ["sym"])
    yield change("AutoAWQ: q_group_size", {"q_group_size": base["group_size"]}, ["group_size"])
    yield change("llm-compressor: dampening_frac", {"dampening_frac": 0.05}, ["damp_percent"], {**base, "damp_percent": 0.05})
    yield change("llm-compressor: actorder", {"actorder": True}, ["desc_act"], {**base, "desc_act": True})


def autoround_concepts(chance):
    base = {"bits": 4, "group_size": chance.choice([32, 64, 128]), "sym": True}

    def change(name, wrong, without=(), right=None):
        right = right or base
        return Concept(name, "autoround", "AutoRound", right, {**{key: each for key, each in right.items() if key not in without}, **wrong})

    yield change("compressed-tensors: num_bits", {"num_bits": 4}, ["bits"])
    yield change("compressed-tensors: symmetric", {"symmetric": True}, ["sym"])
    yield change("GPTQ: groupsize", {"groupsize": base["group_size"]}, ["group_size"])
    presets = [({"scheme": "INT8"}, "W8A8"), ({"scheme": "W4A16", "sym": False}, "W4A16_ASYM"), ({"scheme": "W8A16", "group_size": 32}, "W8A16_G32"),
               ({"scheme": "FP8_STATIC", "act_group_size": -1, "act_dynamic": True}, "FP8_DYNAMIC")]
    wanted, name = chance.choice(presets)
    yield Concept("preset of llm-compressor", "autoround", "AutoRound", wanted, {"scheme": name})
    yield change("llm-compressor: ignore", {"ignore": ["lm_head", "mlp.gate"]}, ["ignore_layers"], {**base, "ignore_layers": "lm_head,mlp.gate"})


def all_concepts(chance):
    for make in (llm_compressor, groups, inside_groups, sparseml_concepts, distiller_concepts, nni_concepts,
                 gptqmodel_concepts, autoround_concepts):
        yield from make(chance)


def written(concept, fields, chance):
    """Returns the text, the name of the file and the numbers of the lines with the fields."""
    mixed = {**concept.shared, **fields}
    lines, name = FRAMES[concept.frame](concept.owner, mixed, chance)
    return lines, name
