from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    scheme="W4A16",
    layer_config={"lm_head": {"bits": 8}},
)
