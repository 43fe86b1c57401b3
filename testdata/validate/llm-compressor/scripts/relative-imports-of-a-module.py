# The module imports others of its folder.
from llmcompressor import oneshot
from next.relative import recipe_of

oneshot(model="Qwen/Qwen3-8B", recipe=recipe_of("W4A16"), dataset="open_platypus")
