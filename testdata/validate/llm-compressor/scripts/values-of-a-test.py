import pytest
from llmcompressor.modifiers.pruning import SparseGPTModifier


@pytest.mark.parametrize("modifiers,valid", [([SparseGPTModifier(sparsity=1.0)], False)])
def test_sparsity(modifiers, valid):
    assert is_valid(modifiers) == valid
