from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    data_type="mx_fp",
    layer_config={".*mlp.*": {"bits": 8}, "down_proj": {"bits": 4}},
)
