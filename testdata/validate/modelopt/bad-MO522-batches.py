import modelopt.torch.quantization as mtq
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
loader = DataLoader(samples, batch_size=8)
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, loader)
