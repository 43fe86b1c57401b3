from llmcompressor.modifiers.transform.awq import AWQMapping, AWQModifier
from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = [
    AWQModifier(mappings=[AWQMapping("re:.*norm", ["re:.*q_proj"])], offload_device="cpu"),
    QuantizationModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]),
]
