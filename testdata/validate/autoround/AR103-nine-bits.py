from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    bits=9,
)
