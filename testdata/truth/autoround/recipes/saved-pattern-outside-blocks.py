from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='W4A16', layer_config={'.*down_proj': {'bits': 16}, 'model.visual.blocks.*mlp.gate_proj': {'bits': 8}})
autoround.quantize_and_save("./out")
