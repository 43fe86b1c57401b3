import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# Each preset replaces the one before it, as a comparison of formats does.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
for config in (mtq.FP8_DEFAULT_CFG, mtq.NVFP4_DEFAULT_CFG):
    mtq.quantize(model, config, lambda model: model(**model.dummy_inputs))
    print(evaluate(model))
