import modelopt.torch.quantization as mtq
from modelopt.torch.export import export_hf_checkpoint
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
result = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 6.0},
    quantization_formats=[mtq.NVFP4_DEFAULT_CFG, mtq.FP8_DEFAULT_CFG],
    data_loader=batches,
    forward_step=lambda model, batch: model(**batch),
    loss_func=lambda output, batch: output.loss,
    disabled_layers=["*lm_head*"],
)
export_hf_checkpoint(result[0], export_dir="out")
