import copy

from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, QuantizationStrategy
from compressed_tensors.quantization.quant_scheme import NVFP4
from llmcompressor.modifiers.quantization import QuantizationModifier

experts = copy.deepcopy(NVFP4)
experts["targets"] = ["re:.*experts.*"]
rest = dict(targets=["Linear"], weights=QuantizationArgs(num_bits=8, strategy=QuantizationStrategy.CHANNEL))
recipe = QuantizationModifier(
    config_groups={"experts": QuantizationScheme(**experts), "rest": rest},
    ignore=["lm_head"],
)
