from llmcompressor.modifiers.smoothquant import SmoothQuantModifier

recipe = SmoothQuantModifier(mappings=[<|>])
