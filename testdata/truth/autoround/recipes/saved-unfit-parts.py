from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='W2A16G64', layer_config={'LM_HEAD': {'bits': 4, 'sym': True}, 'down_proj$': {'bits': 3, 'sym': False}, '.+gate_proj': 'w4a16'}, ignore_layers='lm_head')
autoround.quantize_and_save("./out")
