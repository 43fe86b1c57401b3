from nni.compression.pruning import L1NormPruner
from torchvision.models import resnet18

model = resnet18(weights="IMAGENET1K_V1")
config_list = [
    {"op_types": ["Conv2d"], "sparse_ratio": 0.5},
    {"op_types": ["Linear"], "exclude_op_names_re": [r"layer\d\.0\.downsample\.0"], "sparse_ratio": 0.3},
]
pruner = L1NormPruner(model, config_list)
