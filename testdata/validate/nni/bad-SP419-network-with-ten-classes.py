from nni.compression.quantization import QATQuantizer
from torchvision.models import resnet18

# The convolutions of a ResNet have no bias. The number of classes changes only the last layer.
model = resnet18(num_classes=10)
config_list = [{"op_types": ["Conv2d"], "quant_dtype": "int8"}, {"op_names": ["fc"], "quant_dtype": "int8"}]
quantizer = QATQuantizer(model, config_list, evaluator=None, quant_start_step=100)
