from llmcompressor import model_free_ptq

model_free_ptq(model_stub="a", save_directory="b", scheme="FP8_BLOCK", ignore=["lm_head"])
