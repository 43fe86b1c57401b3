from torch import nn
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")


def select(module, name):
    return not name.startswith("lm_head") or name == "model"


quantize_(model, Int4WeightOnlyConfig(group_size=128), select)
