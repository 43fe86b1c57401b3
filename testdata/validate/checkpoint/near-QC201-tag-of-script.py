from transformers import AutoModelForCausalLM, HqqConfig

settings = dict(nbits=4, group_size=64)
config = HqqConfig(**settings, skip_modules=["lm_head", "mlp.down_proj"])
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=config)
