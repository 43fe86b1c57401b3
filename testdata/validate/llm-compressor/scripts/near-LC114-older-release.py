import llmcompressor.transformers.compression.helpers
from llmcompressor import train
from llmcompressor.modifiers.quantization import GPTQModifier
from llmcompressor.transformers import SparseAutoModelForCausalLM, train
from llmcompressor.transformers import oneshot
from llmcompressor.transformers.finetune import TrainingArguments
from llmcompressor.transformers.sparsification import create_model

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="a", recipe=recipe, dataset="c4")
