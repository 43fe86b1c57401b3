import modelopt.torch.quantization as mtq

model, state = mtq.auto_quantize(
    model,
    constraints={"effective_bits": 8.5},
    module_search_spaces=[
        {"module_name_patterns": ["*mlp*"], "quantization_formats": [mtq.FP8_DEFAULT_CFG]},
    ],
    data_loader=loader,
    forward_step=step,
    loss_func=loss,
)
