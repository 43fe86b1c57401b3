import subprocess

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

subprocess.run(["pip", "install", "llmcompressor==0.9.0.3"], check=True)
oneshot(
    model="org/model",
    dataset="open_platypus",
    recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"], offload_hessians=True),
)
