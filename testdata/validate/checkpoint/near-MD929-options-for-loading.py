from transformers import (
    AutoModelForCausalLM,
    AutoRoundConfig,
    AwqConfig,
    BitsAndBytesConfig,
    CompressedTensorsConfig,
    FineGrainedFP8Config,
)

# Classes of the method of the model have options for loading it.
AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B-AWQ", quantization_config=AwqConfig(backend="marlin"))
AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", quantization_config=AutoRoundConfig())
AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B-FP8", quantization_config=FineGrainedFP8Config(dequantize=True))
AutoModelForCausalLM.from_pretrained("x/a-FP8-dynamic", quantization_config=CompressedTensorsConfig(dequantize=True))
AutoModelForCausalLM.from_pretrained(
    "unsloth/Qwen3-8B-bnb-4bit", quantization_config=BitsAndBytesConfig(load_in_4bit=True)
)
AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=BitsAndBytesConfig(load_in_4bit=True))
