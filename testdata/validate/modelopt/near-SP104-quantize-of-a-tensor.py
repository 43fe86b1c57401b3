import modelopt.torch.quantization as mtq
from modelopt.torch.quantization.qtensor import NVFP4QTensor

SIZE = 16
packed = NVFP4QTensor.quantize(weight, SIZE, scale)
model = mtq.quantize(model, mtq.NVFP4_DEFAULT_CFG, forward_loop)
