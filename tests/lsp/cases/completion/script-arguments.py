from auto_round import AutoRound

AutoRound(model, tokenizer, bits=4, <|>)
