import torch
from torchvision.models import resnet50
from nni.compression.pytorch.pruning import L1NormPruner
from nni.compression.pytorch.speedup import ModelSpeedup

inputs = torch.rand(8, 3, 224, 224)

model = resnet50()
pruner = L1NormPruner(model, [{"sparsity": 0.5, "op_types": ["Conv2d"]}])
_, masks = pruner.compress()
pruner._unwrap_model()
ModelSpeedup(model, inputs, masks).speedup_model()
