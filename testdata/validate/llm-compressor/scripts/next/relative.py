from llmcompressor.modifiers.quantization import GPTQModifier

from . import groups
from .groups import GROUP


def recipe_of(scheme):
    assert groups.GROUP == GROUP
    return [GPTQModifier(targets="Linear", scheme=scheme, ignore=["lm_head"], block_size=GROUP)]
