import modelopt.torch.quantization as mtq
import modelopt.torch.sparsity as mts
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
model = mts.sparsify(model, "sparse_magnitude")
