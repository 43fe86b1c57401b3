from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={"down_proj": {"bits": 2}, "mlp": {"bits": 8}},
    ignore_layers="down_proj",
)
