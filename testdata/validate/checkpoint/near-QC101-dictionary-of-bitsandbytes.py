from transformers import AutoModelForCausalLM

config = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
