from auto_round import AutoRound

# routed experts in 4 bits, the shared expert sees every token and gets 8 bits
autoround = AutoRound(
    "Qwen/Qwen1.5-MoE-A2.7B-Chat",
    scheme="W4A16",
    layer_config={
        "shared_expert.": {"bits": 8},
    },
    nsamples=512,
    iters=200,
    seqlen=2048,
    batch_size=4,
)
autoround.quantize_and_save("./Qwen1.5-MoE-A2.7B-Chat-w4s8", format="auto_round")
