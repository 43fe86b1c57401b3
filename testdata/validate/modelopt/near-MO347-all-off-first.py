import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

int4 = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": 4, "block_sizes": {-1: 128}}},
    ],
    "algorithm": "max",
}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model, state = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 6.0},
    quantization_formats=[int4, mtq.FP8_DEFAULT_CFG],
    data_loader=batches,
    forward_step=lambda model, batch: model(**batch),
    loss_func=lambda output, batch: output.loss,
    disabled_layers=["*lm_head*"],
)
