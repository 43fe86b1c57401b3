from torchvision.models import resnet18
from nni.compression.pruning import L1NormPruner
from nni.compression.speedup import ModelSpeedup

model = resnet18()
pruner = L1NormPruner(model, [{'op_types': ['Conv2d'], 'sparse_ratio': 0.5}])
_, masks = pruner.compress()
ModelSpeedup(model, inputs, masks).speedup_model()
