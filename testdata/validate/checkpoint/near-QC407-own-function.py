from transformers import AutoModelForCausalLM, BitsAndBytesConfig

def load(name, bnb_config):
    return AutoModelForCausalLM.from_pretrained(name, quantization_config=bnb_config)


model = load("Qwen/Qwen3-8B", bnb_config=BitsAndBytesConfig(load_in_4bit=True))
