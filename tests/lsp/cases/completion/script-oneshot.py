from llmcompressor import oneshot

oneshot(model="Qwen/Qwen3-8B", recipe=recipe, <|>)
