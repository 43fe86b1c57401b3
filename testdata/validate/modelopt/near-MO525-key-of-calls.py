import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model, state = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 6.0},
    quantization_formats=[mtq.NVFP4_DEFAULT_CFG, mtq.FP8_DEFAULT_CFG],
    data_loader=batches,
    forward_step=lambda model, batch: model(**batch),
    module_search_spaces=[{"module_name_patterns": ["*mlp*"], "quantization_formats": [mtq.FP8_DEFAULT_CFG]}],
    loss_func=lambda output, batch: output.loss,
    disabled_layers=["*lm_head*"],
)
