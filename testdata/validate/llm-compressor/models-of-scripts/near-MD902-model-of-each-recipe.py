from transformers import AutoModelForCausalLM
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

# The router is a module of only one of the models.
dense = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
oneshot(model=dense, recipe=QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"]))

mixture = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-30B-A3B")
oneshot(model=mixture, recipe=QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head", "re:.*mlp.gate$"]))
