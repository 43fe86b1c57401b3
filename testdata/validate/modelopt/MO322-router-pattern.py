import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-30B-A3B")
config = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": (4, 3)}},
        {"quantizer_name": "*lm_head*", "enable": False},
        {"quantizer_name": "*embed_tokens*", "enable": False},
        {"quantizer_name": "*gate*", "enable": False},
    ],
    "algorithm": "max",
}
mtq.quantize(model, config)
