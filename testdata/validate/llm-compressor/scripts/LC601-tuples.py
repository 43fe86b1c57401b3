from llmcompressor.modifiers.transform.smoothquant import SmoothQuantModifier
from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = [
    SmoothQuantModifier(mappings=[(["re:.*q_proj", "re:.*k_proj", "re:.*v_proj"], "re:.*input_layernorm")]),
    QuantizationModifier(targets="Linear", scheme="W8A8", ignore=["lm_head"]),
]
