import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

config = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": 8, "axis": 0}},
        {"quantizer_name": "*layers.[0-11].*", "enable": False},
        {"quantizer_name": "*lm_head*", "enable": False},
        {"quantizer_name": "*embed_tokens*", "enable": False},
    ],
    "algorithm": "max",
}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, config, forward_loop=None)
