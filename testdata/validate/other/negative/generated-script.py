def script(scheme):
    return f"""
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="{scheme}")
"""
