# The recipe comes from a module, which is named with the line that makes it unknown.
from llmcompressor import oneshot
from next.presets import recipe_of

oneshot(model="Qwen/Qwen3-8B", recipe=recipe_of("RECIPE"), dataset="open_platypus")
