from transformers import AutoModelForCausalLM, GPTQConfig

config = GPTQConfig(bits=4)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
