from auto_round import AutoRound

autoround = AutoRound(model, scheme="W4A16", quant_lm_head="False")
