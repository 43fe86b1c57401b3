import json
from pathlib import Path

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
from llmcompressor.modifiers.transform.smoothquant import SmoothQuantModifier
from next.settings import IGNORE, SMOOTHING

settings = json.loads((Path(__file__).parent / "next" / "gptq.json").read_text())
recipe = [SmoothQuantModifier(**SMOOTHING), GPTQModifier(ignore=IGNORE, **settings)]
oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=recipe)
