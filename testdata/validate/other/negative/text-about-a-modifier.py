import warnings


def warn():
    warnings.warn("""
Importing AWQModifier: use
`llmcompressor.modifiers.transform` instead of this module.
""")
