from llmcompressor import oneshot

from next.broken import recipe

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=recipe)
