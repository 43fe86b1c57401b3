from torchvision.models import resnet18
from nni.compression.pruning import L1NormPruner
from nni.compression.speedup import ModelSpeedup


def prune(model, config_list):
    pruner = L1NormPruner(model, config_list)
    _, masks = pruner.compress()
    return masks


model = resnet18()
masks = prune(model, [{'op_types': ['Conv2d'], 'sparse_ratio': 0.5}])
ModelSpeedup(model, inputs, masks).speedup_model()
