"""Models for random recipes: [name, class, arguments] for each module, in order. Leaf modules are applied in this order."""


def shape_of(kind, a):
    """The shape of the weight, None if there is none."""
    if kind == "Linear":
        return [a["out_features"], a["in_features"]]
    if kind == "Conv2d":
        return [a["out_channels"], a["in_channels"], a["kernel_size"], a["kernel_size"]]
    return [a["num_features"]] if kind == "BatchNorm2d" else None


def biases_of(a):
    """The number of biases, None if there are none."""
    return (a.get("out_features") or a.get("out_channels") or a.get("num_features")) if a.get("bias", True) else None


def modules_of(net):
    """Rows for --modules: name, class, shape of the weight."""
    return [{"name": n, "type": k, "shape": shape_of(k, a)} for n, k, a in net]


def parameters_of(net):
    """Names to shapes for --params."""
    out = {}
    for name, kind, a in net:
        shape = shape_of(kind, a)
        if shape is not None:
            out[name + ".weight"] = shape
            if biases_of(a) is not None:
                out[name + ".bias"] = [biases_of(a)]
    return out


def conv(i, o, k=3, **more):
    return {"in_channels": i, "out_channels": o, "kernel_size": k, "padding": k // 2, **more}


def linear(i, o, **more):
    return {"in_features": i, "out_features": o, **more}


def norm(n):
    return {"num_features": n}


DISTILLER = [
    ["", "Net", {}],
    ["conv1", "Conv2d", conv(3, 8)],
    ["bn1", "BatchNorm2d", norm(8)],
    ["relu1", "ReLU", {}],
    ["layer1", "Module", {}],
    ["layer1.conv1", "Conv2d", conv(8, 16, bias=False)],
    ["layer1.relu1", "ReLU", {}],
    ["layer1.conv2", "Conv2d", conv(16, 16, bias=False)],
    ["layer1.relu2", "ReLU", {}],
    ["layer2", "Module", {}],
    ["layer2.conv", "Conv2d", conv(16, 12, 1)],
    ["layer2.relu", "ReLU", {}],
    ["conv10", "Conv2d", conv(12, 12)],
    ["submodule", "Module", {}],
    ["submodule.conv", "Conv2d", conv(12, 8, 1)],
    ["submodule.relu", "ReLU", {}],
    ["fc", "Linear", linear(512, 16)],
    ["fc2", "Linear", linear(16, 5)],
    ["final_relu", "ReLU", {}],
]
