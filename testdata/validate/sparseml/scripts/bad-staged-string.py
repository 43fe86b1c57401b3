from sparseml.transformers import oneshot

recipe = """
test_stage:
  pruning_modifiers:
    SparseGPTModifier:
      sparsity: high
"""
oneshot(model="a", recipe=recipe)
