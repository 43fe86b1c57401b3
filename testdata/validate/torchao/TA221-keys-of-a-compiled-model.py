import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
compiled = torch.compile(model)
config = FqnToConfig({"lm_head": Int8WeightOnlyConfig(), r"re:model\.layers\..*_proj": Int8WeightOnlyConfig()})
quantize_(compiled, config, filter_fn=None)
