from auto_round import AutoRound
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype="auto")
AutoRound(model, scheme="W4A16").quantize_and_save("Qwen3-8B-out", format="auto_round")
