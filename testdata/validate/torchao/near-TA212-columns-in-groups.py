from torchao.quantization import Int4WeightOnlyConfig
from transformers import AutoModelForCausalLM, TorchAoConfig

# 64 divides 4544 and 18176.
config = TorchAoConfig(quant_type=Int4WeightOnlyConfig(group_size=64))
model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-7b-instruct", quantization_config=config)
