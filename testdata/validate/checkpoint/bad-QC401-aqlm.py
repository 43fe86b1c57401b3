import transformers
from transformers import AqlmConfig

model = transformers.AutoModelForCausalLM.from_pretrained(
    "Qwen/Qwen3-8B", quantization_config=AqlmConfig(in_group_size=8, out_group_size=1)
)
