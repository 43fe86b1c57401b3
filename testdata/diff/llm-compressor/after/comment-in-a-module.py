# A comment.
from llmcompressor.modifiers.quantization import GPTQModifier


def make(scheme):
    return [GPTQModifier(targets="Linear", scheme=scheme)]
