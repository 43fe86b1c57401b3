from transformers import AutoModelForCausalLM, GPTQConfig

from data import load_texts

config = GPTQConfig(bits=4, dataset=load_texts())
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
