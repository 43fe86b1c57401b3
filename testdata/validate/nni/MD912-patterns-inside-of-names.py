from nni.compression.pruning import L1NormPruner
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("facebook/opt-125m")
config_list = [{'op_names_re': ['fc1', 'fc2'], 'op_types': ['Linear'], 'sparse_ratio': 0.5}]
pruner = L1NormPruner(model, config_list)
