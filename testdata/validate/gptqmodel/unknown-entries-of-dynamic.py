import json
import sys

from gptqmodel import GPTQModel, QuantizeConfig

dynamic = {}
for layer in json.loads(sys.argv[1]):
    dynamic[f"layers.{layer}."] = {"bits": 8}
config = QuantizeConfig(bits=4, group_size=128, dynamic=dynamic)
model = GPTQModel.load("Qwen/Qwen3-8B", config)
