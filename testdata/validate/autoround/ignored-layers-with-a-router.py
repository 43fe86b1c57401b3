from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    ignore_layers="mlp",
)
