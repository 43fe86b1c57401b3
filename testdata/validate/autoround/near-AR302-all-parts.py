from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={"(q|k|v)_proj": {"bits": 8}},
)
