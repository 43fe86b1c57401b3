from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-8B")
rounding = AutoRound(model, tokenizer, scheme="W4A16", model_free=True)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
