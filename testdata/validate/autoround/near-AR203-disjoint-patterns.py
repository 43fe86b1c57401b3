from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={"gate_proj": {"bits": 8}, "down_proj": {"bits": 2}},
)
