from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    data_type="int_asym_dq",
    bits=4,
)
