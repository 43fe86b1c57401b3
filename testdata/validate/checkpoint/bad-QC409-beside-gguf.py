from transformers import AutoModelForCausalLM, BitsAndBytesConfig

model = AutoModelForCausalLM.from_pretrained(
    "unsloth/Qwen3-8B-GGUF",
    gguf_file="Qwen3-8B-Q8_0.gguf",
    quantization_config=BitsAndBytesConfig(load_in_4bit=True),
)
