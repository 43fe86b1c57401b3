from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='W3A16', layer_config={'(q|k)_proj': {'bits': 2, 'group_size': 32}, 'visual': 'W8A16'}, ignore_layers='down_proj')
autoround.quantize_and_save("./out")
