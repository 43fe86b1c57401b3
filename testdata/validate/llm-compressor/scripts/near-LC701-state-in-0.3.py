from llmcompressor.modifiers.obcq import SparseGPTModifier

modifier = SparseGPTModifier(sparsity=0.5)
modifier.model = object()
