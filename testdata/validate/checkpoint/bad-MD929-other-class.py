from transformers import AutoModelForCausalLM, BitsAndBytesConfig

model = AutoModelForCausalLM.from_pretrained("awq", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
