import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

FLOAT8 = {"num_bits": (4, 3), "axis": None}

# The second call works on the quantizers of the first one, so `*` turns the blocks off again.
first = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*mlp*weight_quantizer", "cfg": FLOAT8},
    ],
    "algorithm": "max",
}
second = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*self_attn*weight_quantizer", "cfg": FLOAT8},
    ],
    "algorithm": "max",
}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, first)
model = mtq.quantize(model, second)
