import modelopt.torch.export as mte
from modelopt.torch import quantization as q
from transformers import AutoModelForCausalLM

llm = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
llm = q.quantize(llm, q.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
llm.push_to_hub("example/qwen3-8b-fp8")
