from auto_round import AutoRound
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("./model")
tokenizer = AutoTokenizer.from_pretrained("./model")
autoround = AutoRound(model, tokenizer=tokenizer, scheme='INT8', layer_config={'.*visual.*': {'bits': 2, 'sym': False}, 'lm_head': {'bits': 16}}, ignore_layers='model.layers.1.block_sparse_moe.experts.2.w1,lm_head,v_proj', quant_lm_head=True)
autoround.quantize()
