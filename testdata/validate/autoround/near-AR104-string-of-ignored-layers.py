from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    scheme="W4A16",
    ignore_layers="lm_head,mlp.gate",
)
