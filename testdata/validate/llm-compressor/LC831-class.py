from llmcompressor import model_free_ptq

model_free_ptq(model_stub="m", save_directory="out", scheme="FP8_BLOCK", ignore=["lm_head", "Embedding"])
