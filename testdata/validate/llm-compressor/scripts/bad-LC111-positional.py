from compressed_tensors.quantization import QuantizationArgs
from llmcompressor.modifiers.quantization import GPTQModifier

weights = QuantizationArgs(4)
recipe = [GPTQModifier("Linear", scheme="W4A16", ignore=["lm_head"])]
