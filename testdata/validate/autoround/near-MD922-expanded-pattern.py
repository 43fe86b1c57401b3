from auto_round import AutoRound

model = "meta-llama/Llama-3.1-8B-Instruct"
layers = {"down_proj": {"bits": 8}, "model.layers.0.": {"bits": 16}}
AutoRound(model, scheme="W4A16", layer_config=layers).quantize_and_save("out", format="auto_round")
