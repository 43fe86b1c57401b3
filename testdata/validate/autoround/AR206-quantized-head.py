from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    scheme="W4A16",
    quant_lm_head=True,
)
