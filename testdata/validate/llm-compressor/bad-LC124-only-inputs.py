from llmcompressor import model_free_ptq
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme

model_free_ptq(
    "m",
    "out",
    scheme=QuantizationScheme(targets=["Linear"], input_activations=QuantizationArgs(num_bits=8, type="float", dynamic=True)),
    ignore=["lm_head"],
)
