from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    iters=0,
    disable_opt_rtn=True,
    layer_config={"mlp": {"bits": 8}, "down_proj": {"bits": 2}},
)
