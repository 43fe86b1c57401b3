from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='W4A16', bits=1)
autoround.quantize()
