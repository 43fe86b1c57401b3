from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

oneshot(
    model="meta-llama/Llama-3.1-8B-Instruct",
    dataset="open_platypus",
    recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]),
    pipeline="datafree",
)
