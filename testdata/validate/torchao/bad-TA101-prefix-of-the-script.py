import torchao.quantization as tq
from transformers import AutoModelForCausalLM, TorchAoConfig

config = TorchAoConfig(tq.UIntXWeightOnlyConfig(group_size=64))
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B-Instruct", quantization_config=config)
