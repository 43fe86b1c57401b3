import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM


def calibrate(model, batches):
    for batch in batches:
        model(**batch)


model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, forward_loop=calibrate)
