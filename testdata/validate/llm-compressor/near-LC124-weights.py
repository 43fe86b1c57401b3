from llmcompressor import model_free_ptq
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme

model_free_ptq(
    "m",
    "out",
    scheme=QuantizationScheme(targets=["Linear"], weights=QuantizationArgs(num_bits=8, type="float")),
    ignore=["lm_head"],
)
