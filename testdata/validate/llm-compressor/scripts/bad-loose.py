from llmcompressor.modifiers.transform.awq import AWQModifier

alone = AWQModifier(duo_scaling="Both")
alone.mappings = []
in_a_recipe = [AWQModifier()]
