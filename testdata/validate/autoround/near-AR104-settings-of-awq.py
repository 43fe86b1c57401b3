from auto_round import AutoRound

AutoRound(model, tokenizer, scheme="W4A16", algorithm="awq", n_grid=10, apply_clip=False)
