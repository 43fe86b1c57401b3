from auto_round import AutoRound

autoround = AutoRound(
    model,
    tokenizer,
    to_quant_block_names="self_attn",
)
