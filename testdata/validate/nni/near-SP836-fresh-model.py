import torch
from torchvision.models import resnet50
from nni.compression.pytorch.pruning import AGPPruner, FPGMPruner
from nni.compression.pytorch.speedup import ModelSpeedup

inputs = torch.rand(8, 3, 224, 224)

model = resnet50()
pruner = FPGMPruner(model, [{"sparsity": 0.5, "op_types": ["Conv2d"]}])
_, masks = pruner.compress()
fresh = resnet50()
ModelSpeedup(fresh, inputs, masks).speedup_model()

agp = AGPPruner(resnet50(), [{"sparsity": 0.5, "op_types": ["Conv2d"]}], pruning_algorithm="l1", total_iteration=10)
agp.compress()
_, small, masks, _, _ = agp.get_best_result()
ModelSpeedup(small, inputs, masks).speedup_model()
