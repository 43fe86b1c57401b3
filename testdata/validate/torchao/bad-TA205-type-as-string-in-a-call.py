from transformers import AutoModelForCausalLM, TorchAoConfig

config = TorchAoConfig("int4_weight_only", group_size=64, modules_to_not_convert=["lm_head"])
model = AutoModelForCausalLM.from_pretrained("m", quantization_config=config)
