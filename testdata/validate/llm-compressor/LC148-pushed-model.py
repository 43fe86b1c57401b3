from transformers import Qwen3ForCausalLM
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

quantized = Qwen3ForCausalLM.from_pretrained("Qwen/Qwen3-8B")
oneshot(model="Qwen/Qwen3-8B", recipe=QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"]))
quantized.push_to_hub("Qwen3-8B-FP8")
