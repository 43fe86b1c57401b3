"""Whole llm-compressor recipes: stages and groups of modifiers that belong together, with schemes, groups of layers,
transforms and pruners, in the styles and with the mistakes of people.
"""
from pathlib import Path

from choices import Choices
from slips import Slips
from styles import Style

NAMES = Path(__file__).resolve().parent.parent.parent / "testdata/truth/llm-compressor/names"
PRESETS = ("W4A16", "W4A16_ASYM", "W8A16", "W8A8", "INT8", "W4A8", "FP8", "FP8_DYNAMIC", "FP8_BLOCK", "NVFP4", "NVFP4A16", "MXFP4", "MXFP4A16")
TARGETS = (["Linear"], "Linear", ["re:.*self_attn.*"], ["re:.*mlp.*"], ["re:.*(q|k|v)_proj$"], ["re:.*down_proj$", "re:.*up_proj$"], ["Linear", "Embedding"],
           ["re:model.layers.0.*"], ["LlamaAttention"], ["re:.*experts.*"], ["model.layers.1.mlp.down_proj"])
IGNORES = (["lm_head"], ["lm_head"], ["lm_head"], "lm_head", ["lm_head", "re:.*gate$"], ["re:.*lm_head"], ["lm_head", "model.layers.0.mlp.down_proj"], ["lm_head", "re:.*k_proj"], [])


def modules_of(model):
    """Returns the rows of the module list that testdata has of the model."""
    rows = []
    for line in (NAMES / f"{model}.tsv").read_text(encoding="utf-8").splitlines():
        name, kind, *shape = line.split("\t")
        rows.append({"name": name, "type": kind, **({"shape": [int(n) for n in shape[0].split("x")]} if shape else {})})
    return rows


class Plans(Choices):
    def __init__(self, rng):
        super().__init__(rng)
        self.model = self.weighted([("llama", 6), ("llama_gqa", 3), ("llama_odd", 1), ("mixtral", 2)])

    # --- schemes
    def weights(self):
        strategy = self.weighted([("group", 6), ("channel", 4), ("tensor", 1), ("block", 1)])
        out = {"num_bits": self.pick([4, 8, 4, 8, 3]), "type": "int", "symmetric": self.pick([True, True, False]), "strategy": strategy}
        if strategy == "group":
            out["group_size"] = self.pick([128, 64, 32, 128, 200])
            if self.chance(.3):
                out["actorder"] = self.pick(["static", "weight", "group", "dynamic", None])
        if strategy == "block":
            out.update(block_structure=[128, 128], type="float", num_bits=8)
        if self.chance(.2):
            out["observer"] = self.pick(["mse", "minmax", "memoryless_minmax", "imatrix_mse"])
        if self.chance(.2):
            out.pop("strategy")
        return out

    def activations(self):
        return self.pick([{"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}, {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False},
                          {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "token", "dynamic": True}, {"num_bits": 8, "symmetric": False, "strategy": "tensor"},
                          {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "dynamic": "local"}])

    def groups(self):
        out = {}
        for number in range(self.weighted([(1, 5), (2, 4), (3, 1)])):
            group = {"targets": self.pick([each for each in TARGETS if isinstance(each, list)]), "weights": self.weights()}
            if self.chance(.4):
                group["input_activations"] = self.activations()
            if self.chance(.05):
                group["output_activations"] = self.activations()
            out[f"group_{number}"] = group
        return out

    def quantization(self):
        out = self.weighted([({"scheme": self.pick(PRESETS), "targets": self.pick(TARGETS)}, 6), ({"scheme": self.pick(PRESETS)}, 2), ({"config_groups": self.groups()}, 6),
                             ({"scheme": {self.pick(PRESETS): self.pick([["Linear"], ["re:.*mlp.*"]])}}, 1)])
        if self.chance(.9):
            out["ignore"] = self.pick(IGNORES)
        if self.chance(.12):
            out["kv_cache_scheme"] = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False, "symmetric": True}
        return out

    # --- modifiers
    def gptq(self):
        out = self.quantization()
        for key, value in (("block_size", self.pick([128, 64])), ("dampening_frac", self.pick([.01, .1])), ("actorder", self.pick(["static", "group", None])), ("offload_hessians", False)):
            if self.chance(.2):
                out[key] = value
        return "GPTQModifier", out

    def smooth(self):
        out = {"smoothing_strength": self.pick([.8, .5, .9])}
        if self.chance(.3):
            out["mappings"] = [[["re:.*q_proj", "re:.*k_proj", "re:.*v_proj"], "re:.*input_layernorm"], [["re:.*gate_proj", "re:.*up_proj"], "re:.*post_attention_layernorm"]]
        if self.chance(.2):
            out["ignore"] = self.pick([["lm_head"], ["re:.*mlp.*"]])
        return "SmoothQuantModifier", out

    def awq(self):
        out = {"n_grid": 3}
        if self.chance(.3):
            out["duo_scaling"] = self.pick([True, False, "both"])
        if self.chance(.3):
            out["mappings"] = [{"smooth_layer": "re:.*input_layernorm", "balance_layers": ["re:.*q_proj", "re:.*k_proj", "re:.*v_proj"]},
                               {"smooth_layer": "re:.*up_proj", "balance_layers": ["re:.*down_proj"]}][:self.pick([1, 2])]
        return "AWQModifier", out

    def pruner(self):
        name = self.pick(["SparseGPTModifier", "SparseGPTModifier", "WandaPruningModifier"])
        out = {"sparsity": self.pick([.5, .5, .6]), "mask_structure": self.pick(["2:4", "0:0", "2:4"])}
        if self.chance(.5):
            out["targets"] = self.pick([["re:.*mlp.*"], ["Linear"], ["re:model.layers.\\d+$"], ["LlamaDecoderLayer"]])
        if self.chance(.4):
            out["ignore"] = self.pick([["lm_head"], ["re:.*lm_head"]])
        if name[0] == "S" and self.chance(.3):
            out.update(block_size=128, dampening_frac=.01)
        return name, out

    def rotation(self):
        return self.pick([("SpinQuantModifier", {"rotations": ["R1", "R2"], "transform_type": "hadamard"}), ("QuIPModifier", {"targets": "Linear", "ignore": "lm_head", "transform_type": "hadamard"})])

    def plain(self):
        return "QuantizationModifier", self.quantization()

    def modifiers(self, purpose):
        if purpose == "prune":
            return [self.pruner()]
        first = self.weighted([([], 8), ([self.smooth()], 3), ([self.awq()], 2), ([self.rotation()], .7)])
        last = self.weighted([(self.gptq, 6), (self.plain, 6)])()
        more = [self.plain()] if self.chance(.1) else []
        return [*first, last, *more]

    def body(self, pairs):
        out = {}
        for name, fields in pairs:
            group = self.pick(["quantization_modifiers", "quant_modifiers"]) if out and self.chance(.1) else next(iter(out), "quant_modifiers")
            out.setdefault(group, {})[name] = fields
        return out

    def doc(self):
        stages = self.weighted([([("quant_stage", "quantize")], 10), ([("sparsity_stage", "prune"), ("quantization_stage", "quantize")], 3), ([("pruning_stage", "prune")], 3),
                                ([("default_stage", "quantize")], 3), ([("a_stage", "quantize"), ("b_stage", "quantize")], 1)])
        return {name: self.body(self.modifiers(purpose)) for name, purpose in stages}

    def text(self):
        return Slips(self.rng).applied(Style(self.rng).dump(self.doc())), ".yaml"
