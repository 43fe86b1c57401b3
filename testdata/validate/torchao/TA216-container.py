from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
config = FqnToConfig({
    "model.layers.0": None,
    r"re:model\.layers\.\d+\..*_proj": Float8WeightOnlyConfig(),
})
quantize_(model, config, filter_fn=None)
