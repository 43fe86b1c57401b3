# No recipe is checked, so the last line must not be "no errors".
import os

from llmcompressor import oneshot

oneshot(model="Qwen/Qwen3-8B", recipe=os.environ["RECIPE"], dataset="open_platypus")
