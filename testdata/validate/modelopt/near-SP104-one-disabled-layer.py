import modelopt.torch.quantization as mtq

# A call accepts one pattern, and None for a default.
model, state = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 6.0},
    quantization_formats=[mtq.NVFP4_DEFAULT_CFG, mtq.FP8_DEFAULT_CFG],
    data_loader=batches,
    forward_step=step,
    loss_func=loss,
    disabled_layers="*lm_head*",
    module_search_spaces=None,
)
