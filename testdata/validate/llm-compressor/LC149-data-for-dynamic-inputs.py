from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
recipe = QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"])
oneshot(model=model, dataset="open_platypus", recipe=recipe, max_seq_length=2048, num_calibration_samples=512)
model.save_pretrained("Qwen3-8B-FP8")
