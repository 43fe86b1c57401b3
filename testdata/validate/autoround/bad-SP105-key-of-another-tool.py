from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={"down_proj": {"wbits": 8}},
)
