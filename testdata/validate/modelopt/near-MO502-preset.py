import copy

import modelopt.torch.quantization as mtq

model = mtq.quantize(model, mtq.INT4_AWQ_CFG, forward_loop)
