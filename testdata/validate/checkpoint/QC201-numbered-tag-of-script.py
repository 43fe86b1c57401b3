from transformers import AutoModelForCausalLM, HqqConfig

config = HqqConfig(nbits=4, group_size=64, skip_modules=["lm_head", "model.layers.0.mlp.down_proj"])
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=config)
