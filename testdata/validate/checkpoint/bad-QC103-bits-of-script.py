from transformers import AutoModelForCausalLM, GPTQConfig

config = GPTQConfig(bits=5, dataset="c4")
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=config)
