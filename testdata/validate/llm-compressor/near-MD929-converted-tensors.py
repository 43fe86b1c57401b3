from compressed_tensors.quantization import QuantizationScheme
from compressed_tensors.quantization.quant_scheme import FP8_BLOCK
from llmcompressor import model_free_ptq

# The function reads tensors of quantized models, too.
model_free_ptq(
    model_stub="nvidia/DeepSeek-R1-NVFP4",
    save_directory="DeepSeek-R1-NVFP4-FP8-BLOCK",
    scheme=QuantizationScheme(**FP8_BLOCK, targets=["re:.*self_attn.o_proj"]),
    ignore=["re:.*kv_b_proj"],
)
