from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQ<|>Modifier

recipe = [
    GPTQMod<|>ifier(targets="Linear", sch<|>eme="W4A16", ignore=["lm_head"]),
]
oneshot(model="facebook/opt-125m", dataset="open_platypus", recipe=recipe)
