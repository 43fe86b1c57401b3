from transformers import AutoModelForCausalLM, BitsAndBytesConfig

bnb_config = BitsAndBytesConfig(load_in_4bit=True)
arguments = {"quantization_config": bnb_config, "device_map": "auto"}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", **arguments)
