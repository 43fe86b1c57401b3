import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
config = Int4WeightOnlyConfig(
    group_size=128, int4_choose_qparams_algorithm="hqq", int4_packing_format="tile_packed_to_4d"
)
quantize_(model, config)
