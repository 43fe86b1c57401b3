# Helpers of a script that compresses a model with llmcompressor and a recipe.
from llmcompressor.utils import dispatch_for_generation

print(dispatch_for_generation)
