from transformers import AutoModelForCausalLM, GPTQConfig

model = AutoModelForCausalLM.from_pretrained("gptq", quantization_config=GPTQConfig(bits=4, backend="marlin"))
