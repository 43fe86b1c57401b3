from auto_round import AutoRound

tokens = AutoRound(model, scheme="W8A8")
floats = AutoRound(model, scheme="FP8_DYNAMIC")
groups = AutoRound(model, scheme="W4A16_ASYM", layer_config={"down_proj": "W8A16_G32"})
blocks = AutoRound(model, scheme="FP8_BLOCK", layer_config={"down_proj": {"scheme": "FP8_DYNAMIC"}})
