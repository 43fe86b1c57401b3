import torch.nn as nn
from nni.compression.pruning import L1NormPruner


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.fc = nn.Linear(9216, 10)


# The convolutions are not below `features`.
config_list = [{"op_names": ["features.conv1"], "sparse_ratio": 0.5}]
pruner = L1NormPruner(Net(), config_list)
_, masks = pruner.compress()
