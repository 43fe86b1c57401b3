from transformers import AutoModelForCausalLM, BitsAndBytesConfig, HqqConfig

AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B-FP8", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
AutoModelForCausalLM.from_pretrained("somebody/model-quantized.w4a16", quantization_config=HqqConfig(nbits=4))
AutoModelForCausalLM.from_pretrained("someone/Qwen3-8B-unsloth-bnb-4bit", quantization_config=HqqConfig(nbits=4))
