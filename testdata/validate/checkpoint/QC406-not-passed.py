from transformers import AutoModelForCausalLM, BitsAndBytesConfig

bnb_config = BitsAndBytesConfig(load_in_4bit=True)
# quantization_config=bnb_config
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", device_map="auto")
