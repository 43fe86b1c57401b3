from torchvision.models import resnet18
from nni.compression.quantization import QATQuantizer

model = resnet18(num_classes=10)
config_list = [{
    "op_names": ["conv1"],
    "target_names": ["_input_", "weight"],
    "quant_dtype": "int8",
    "fuse_names": [("conv1", "bn1")],
}, {
    "op_types": ["BatchNorm2d"],
    "exclude_op_names": ["bn1"],
    "target_names": ["_input_", "_output_"],
    "quant_dtype": "int8",
}]

quantizer = QATQuantizer(model, config_list, evaluator, quant_start_step=500)
