from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='MXFP4', data_type='fp8')
autoround.quantize()
