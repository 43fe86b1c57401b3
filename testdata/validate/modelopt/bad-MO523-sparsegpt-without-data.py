import modelopt.torch.sparsity as mts
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mts.sparsify(model, "sparsegpt")
