from llmcompressor.modifiers.pruning import SparseGPTModifier

modifier = SparseGPTModifier(sparsity=0.5)
modifier.model = object()
