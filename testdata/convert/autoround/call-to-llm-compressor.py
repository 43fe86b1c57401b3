from auto_round import AutoRound

autoround = AutoRound(
    "meta-llama/Llama-3.2-1B",
    scheme="W4A16",
    layer_config={"down_proj": {"bits": 8, "group_size": 32}},
    ignore_layers="layers.0.self_attn.o_proj",
    iters=400,
)
