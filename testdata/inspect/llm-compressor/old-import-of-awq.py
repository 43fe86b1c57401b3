from llmcompressor.modifiers.awq import AWQMapping, AWQModifier

recipe = AWQModifier(
    ignore=["lm_head"],
    scheme="W4A16_ASYM",
    targets=["Linear"],
    mappings=[AWQMapping("re:.*input_layernorm", ["re:.*q_proj", "re:.*k_proj"])],
)
