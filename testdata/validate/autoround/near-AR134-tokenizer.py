from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype="auto")
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-8B")
AutoRound(model, tokenizer, scheme="W4A16").quantize_and_save("Qwen3-8B-out", format="auto_round")
