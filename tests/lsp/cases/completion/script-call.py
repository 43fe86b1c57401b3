from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", <|>), GPTQModifier(scheme="<|>"), GPTQModifier(ignore=["<|>"])]
