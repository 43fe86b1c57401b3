import torch
from torchvision.models import resnet50
from nni.compression.pytorch.pruning import L1NormPruner
from nni.compression.pytorch.speedup import ModelSpeedup

device = torch.device("cuda")
model = resnet50(pretrained=True).to(device)
pruner = L1NormPruner(model, [{"sparsity": 0.5, "op_types": ["Conv2d"]}])
_, masks = pruner.compress()
pruner.show_pruned_weights()
dummy_input = torch.rand(8, 3, 224, 224).to(device)
ModelSpeedup(model, dummy_input=dummy_input, masks_file=masks).speedup_model()
