"""Models for random recipes: [name, class, arguments] for each module, in order. Leaf modules are applied in this
order; a module with `side` has an input of that shape of its own.
"""


def shape_of(kind, a):
    """The shape of the weight, None if there is none."""
    if kind == "Linear":
        return [a["out_features"], a["in_features"]]
    if kind.startswith("Conv"):
        first, second = ("in_channels", "out_channels") if "Transpose" in kind else ("out_channels", "in_channels")
        return [a[first], a[second]] + [a["kernel_size"]] * int(kind[-2])
    if kind == "Embedding":
        return [a["num_embeddings"], a["embedding_dim"]]
    size = a.get("num_features", a.get("normalized_shape"))
    return None if size is None else [size]


def biases_of(a):
    """The number of biases, None if there are none."""
    sizes = [a[key] for key in ("out_features", "out_channels", "num_features", "normalized_shape") if key in a]
    return sizes[0] if sizes and a.get("bias", True) else None


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

NNI = [
    ["", "Net", {}],
    ["stem", "Sequential", {}],
    ["stem.conv", "Conv2d", conv(3, 8)],
    ["stem.bn", "BatchNorm2d", norm(8)],
    ["stem.relu", "ReLU", {}],
    ["blocks", "ModuleList", {}],
    ["blocks.0", "Sequential", {}],
    ["blocks.0.conv", "Conv2d", conv(8, 8, bias=False)],
    ["blocks.0.bn", "BatchNorm2d", norm(8)],
    ["blocks.0.relu", "ReLU", {}],
    ["blocks.1", "Sequential", {}],
    ["blocks.1.conv", "Conv2d", conv(8, 16, bias=False)],
    ["blocks.1.bn", "BatchNorm2d", norm(16)],
    ["blocks.1.act", "ReLU6", {}],
    ["features", "Sequential", {}],
    ["features.3", "Conv2d", conv(16, 16, 1)],
    ["features.4", "BatchNorm2d", norm(16)],
    ["features.5", "Hardtanh", {}],
    ["pool", "MaxPool2d", {"kernel_size": 2}],
    ["up", "ConvTranspose2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 2, "side": [1, 4, 3, 3]}],
    ["seq", "Conv1d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "side": [1, 4, 5]}],
    ["emb", "Embedding", {"num_embeddings": 12, "embedding_dim": 8, "side": [2, 3]}],
    ["fc1", "Linear", linear(256, 24)],
    ["act", "GELU", {}],
    ["fc2", "Linear", linear(24, 16)],
    ["ln", "LayerNorm", {"normalized_shape": 16}],
    ["fc3", "Linear", linear(16, 16, bias=False)],
    ["bn1d", "BatchNorm1d", norm(16)],
    ["fc10", "Linear", linear(16, 12)],
    ["drop", "Dropout", {"p": 0.1}],
    ["head", "Sequential", {}],
    ["head.out", "Linear", linear(12, 10)],
    ["soft", "Softmax", {"dim": -1}],
]
