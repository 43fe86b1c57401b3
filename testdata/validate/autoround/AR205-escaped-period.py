from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    layer_config={r".*\.down_proj$": {"bits": 8}},
)
