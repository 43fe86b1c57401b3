from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained("Qwen/Qwen3-8B", load_in_4bit=True)
config = BitsAndBytesConfig(load_in_4bit=True)
other = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
