from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    scheme="W4A16",
    ignore=["lm_head", "re:.*mlp.gate"],
)
