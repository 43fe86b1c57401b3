from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={".*mlp.*": {"bits": 8}, "down_proj": {"bits": 4}},
)
