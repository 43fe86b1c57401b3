import modelopt.torch.quantization as mtq
from modelopt.torch.export import export_hf_checkpoint
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.INT4_BLOCKWISE_WEIGHT_ONLY_CFG)
export_hf_checkpoint(model, export_dir="out")
