import modelopt.torch.quantization as mtq


def moved(data: Any) -> Any:
    if isinstance(data, torch.Tensor):
        data = data.to()
        return data
    elif isinstance(data, Mapping):
        return {key: moved(data[key], device=device, dtype=dtype) for key in data}
    elif isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return [moved(item) for item in data]


def samples():
    for name in names:
        inputs = {
            "rotation": data["rotation"],
        }
        yield moved(inputs, device)


class Loader:
    def __iter__(self):
        return samples()


model, state = mtq.auto_quantize(
    model,
    data_loader=Loader(),
    disabled_layers=disabled_layers,
)
