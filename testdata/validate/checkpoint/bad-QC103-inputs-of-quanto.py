from transformers import AutoModelForCausalLM, QuantoConfig

config = QuantoConfig(weights="int8", activations="int8")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
