from llmcompressor.modifiers.transform.awq import AWQModifier
from mine import OwnModifier

recipe = [AWQModifier(offload_device="cpu"), OwnModifier(scheme="W4A16")]
