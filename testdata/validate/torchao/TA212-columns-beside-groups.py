from torchao.quantization import Int4WeightOnlyConfig
from transformers import AutoModelForCausalLM, TorchAoConfig

# The inputs of most layers have 4544 columns, which is no multiple of 128.
config = TorchAoConfig(quant_type=Int4WeightOnlyConfig(group_size=128))
model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-7b-instruct", quantization_config=config)
