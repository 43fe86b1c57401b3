import copy

from compressed_tensors.quantization.quant_scheme import FP8_DYNAMIC
from llmcompressor.modifiers.quantization import QuantizationModifier

scheme = copy.deepcopy(FP8_DYNAMIC)
scheme["targets"] = ["re:.*mlp.*"]
recipe = QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"])
