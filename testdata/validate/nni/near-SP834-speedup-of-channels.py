from nni.compression.pruning import L1NormPruner
from nni.compression.speedup import ModelSpeedup
from torchvision.models import vgg16

model = vgg16(weights="IMAGENET1K_V1")
config_list = [{"op_types": ["Conv2d"], "sparse_ratio": 0.5}]
pruner = L1NormPruner(model, config_list)
_, masks = pruner.compress()
pruner.unwrap_model()
ModelSpeedup(model, dummy_input, masks).speedup_model()
