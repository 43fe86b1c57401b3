from llmcompressor import model_free_ptq

model_free_ptq(model_stub="m", save_directory="out", scheme="FP8_DYNAMIC", ignore=["lm_head"])
