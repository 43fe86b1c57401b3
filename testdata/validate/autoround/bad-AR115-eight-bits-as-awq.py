from auto_round import AutoRound


def quantize(scheme, file_format):
    rounding = AutoRound("Qwen/Qwen3-8B", scheme=scheme)
    rounding.quantize()
    rounding.save_quantized("Qwen3-8B-out", format=file_format)


quantize("W8A16", "auto_awq")
