import modelopt.torch.quantization as mtq

config = mtq.FP8_<|>
model = mtq.quantize(model, mtq.<|>)
