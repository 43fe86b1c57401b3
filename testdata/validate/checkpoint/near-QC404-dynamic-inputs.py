from transformers import AutoModelForCausalLM, FineGrainedFP8Config

config = FineGrainedFP8Config(activation_scheme="dynamic")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=config)
