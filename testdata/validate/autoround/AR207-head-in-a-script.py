from auto_round import AutoRound

autoround = AutoRound(
    "Qwen/Qwen3-8B",
    scheme="W4A16",
    iters=0,
    disable_opt_rtn=True,
    model_free=True,
    layer_config={"lm_head": {"bits": 8}, "down_proj": {"bits": 8}},
)
autoround.quantize_and_save("Qwen3-8B-W4A16", format="auto_round")
