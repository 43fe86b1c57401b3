from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='W4A16', layer_config={'q_proj': {'bits': 8}}, ignore_layers='model.layers.0.self_attn.q_proj')
autoround.quantize_and_save("./out")
