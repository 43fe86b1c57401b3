import nni
import torch
import torch.nn.functional as F
from torchvision.models import resnet18

from nni.compression.pruning import AGPPruner, TaylorPruner
from nni.compression.utils import TorchEvaluator


def training_step(batch, model):
    return F.cross_entropy(model(batch[0]), batch[1])


model = resnet18(num_classes=10)
optimizer = nni.trace(torch.optim.SGD)(model.parameters(), lr=0.01)
evaluator = TorchEvaluator(train, optimizer, training_step)

config_list = [{"op_types": ["Conv2d"], "exclude_op_names": ["conv1"], "sparse_ratio": 0.7}]
taylor = TaylorPruner(model, config_list, evaluator, training_steps=100)
agp = AGPPruner(taylor, interval_steps=100, total_times=60)
_, masks = agp.compress(max_steps=None, max_epochs=6)
