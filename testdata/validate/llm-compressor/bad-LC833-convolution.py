from llmcompressor import model_free_ptq

model_free_ptq("m", "out", scheme="FP8_DYNAMIC", ignore=["lm_head", "model.embed_tokens"])
