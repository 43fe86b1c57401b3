from auto_round import AutoRound
ar = AutoRound(model, tokenizer, scheme="W4A16_ASYM", layer_config={"lm_head": 16, "down_proj": {"num_bits": 8}})
ar.quantize()
