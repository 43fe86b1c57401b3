import modelopt.torch.sparsity as mts
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")
mts.sparsify(model, mode=[("sparse_magnitude", {"nn.Linear": {"*": {}, "*lm_head*": None, "*.layers.0.*": None}})])
