from llmcompressor import model_free_ptq

model_free_ptq(model_stub="Qwen/Qwen3-8B", save_directory="out", scheme="FP8_BLOCK", ignore=["lm_head", "model.embed_tokens"])
