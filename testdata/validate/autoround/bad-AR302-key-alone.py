from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={"k_proj": {"bits": 8}},
)
