from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(bnb_4bit_quant_type="nf4")
config.load_in_4bit = True
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
