from llmcompressor import oneshot

from next.presets import recipe_off

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=recipe_off)
