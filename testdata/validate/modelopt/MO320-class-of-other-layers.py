import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("openai-community/gpt2")
config = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "parent_class": "nn.Linear", "cfg": {"num_bits": 8, "axis": 0}},
        {"quantizer_name": "*lm_head*", "enable": False},
    ],
    "algorithm": "max",
}
model = mtq.quantize(model, config, lambda model: None)
