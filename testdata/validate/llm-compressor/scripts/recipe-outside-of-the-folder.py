from llmcompressor import oneshot

oneshot(model="Qwen/Qwen3-8B", recipe="../recipes/w4a16.yaml", dataset="open_platypus")
