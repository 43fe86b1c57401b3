from transformers import AutoModelForCausalLM, TorchAoConfig
from torchao.quantization import Int8WeightOnlyConfig

config = TorchAoConfig(quant_type=Int8WeightOnlyConfig(), modules_to_not_convert=["lm_head", "o_proj"])
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
