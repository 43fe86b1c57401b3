import torch.nn as nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B-Instruct")


def is_quantized(module, name):
    # the head is sensitive
    if any(part in name for part in ("output_layer", "embed")):
        return False
    return isinstance(module, nn.Linear)


quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_quantized)
