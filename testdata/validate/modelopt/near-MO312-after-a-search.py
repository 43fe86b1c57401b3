import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# The search has turned off what its result does not name, so this call adds only the cache.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model, state = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 6.0},
    quantization_formats=[mtq.NVFP4_DEFAULT_CFG, mtq.FP8_DEFAULT_CFG],
    data_loader=batches,
    forward_step=lambda model, batch: model(**batch),
    loss_func=lambda output, batch: output.loss,
    disabled_layers="*lm_head*",
)
model = mtq.quantize(model, mtq.FP8_KV_CFG, lambda model: model(**model.dummy_inputs))
