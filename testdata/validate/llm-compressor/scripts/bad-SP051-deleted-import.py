from llmcompressor import oneshot

oneshot(model="Qwen/Qwen3-8B", dataset="c4", recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]))
