import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from torchao.quantization.qat import QATConfig
from trainer import train
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, QATConfig(Int4WeightOnlyConfig(group_size=32), step="prepare"))
train(model)
quantize_(model, QATConfig(Int4WeightOnlyConfig(32, int4_packing_format="tile_packed_to_4d"), step="convert"))
