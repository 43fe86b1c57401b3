from transformers import AutoModelForCausalLM, AwqConfig

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B-AWQ", quantization_config=AwqConfig(backend="marlin"))
