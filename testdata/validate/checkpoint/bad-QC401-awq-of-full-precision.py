from transformers import AutoModelForCausalLM, AwqConfig

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=AwqConfig(bits=4, group_size=128))
