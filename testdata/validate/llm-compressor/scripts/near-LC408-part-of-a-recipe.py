from llmcompressor.modifiers.awq import AWQMapping, AWQModifier

part = AWQModifier(mappings=[AWQMapping("re:.*v_proj", ["re:.*o_proj"])])
part._set_resolved_mappings(None)
