from llmcompressor.modifiers.transform.awq import AWQMapping, AWQModifier

recipe = AWQModifier(mappings=[AWQMapping(smooth_layer="<|>", balance_layers=["<|>"])])
