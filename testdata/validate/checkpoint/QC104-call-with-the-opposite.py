from transformers import AutoModelForCausalLM, GPTQConfig

gptq_config = GPTQConfig(bits=4, group_size=128, dataset="c4", modules_to_not_convert=["down_proj"])
model = AutoModelForCausalLM.from_pretrained(
    "mistralai/Mistral-7B-Instruct-v0.3", device_map="auto", quantization_config=gptq_config
)
