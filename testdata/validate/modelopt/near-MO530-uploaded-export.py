import modelopt.torch.quantization as mtq
from modelopt.torch.export import export_hf_checkpoint
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
export_hf_checkpoint(model, export_dir="qwen3-8b-fp8")
tokenizer.push_to_hub("example/qwen3-8b-fp8")
