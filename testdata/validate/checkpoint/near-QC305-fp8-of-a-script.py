from transformers import AutoModelForCausalLM, FineGrainedFP8Config

config = FineGrainedFP8Config()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-30B-A3B", quantization_config=config, device_map={"": 0})
