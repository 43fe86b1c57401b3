import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")
config = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": (4, 3)}},
        {"quantizer_name": "*lm_head*", "enable": False},
        {"quantizer_name": "*embed_tokens*", "enable": False},
        {"quantizer_name": "*self.query*", "enable": False},
    ],
    "algorithm": "max",
}
mtq.quantize(model, config)
