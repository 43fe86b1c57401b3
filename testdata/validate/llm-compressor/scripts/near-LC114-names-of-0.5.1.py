from llmcompressor.modifiers.obcq.base import SparseGPTModifier
from llmcompressor.transformers import oneshot
from llmcompressor.transformers.compression.helpers import calculate_offload_device_map
from llmcompressor.transformers.finetune.data import TextGenerationDataset
from llmcompressor.transformers.tracing import TraceableLlavaForConditionalGeneration

oneshot(model="a", recipe=SparseGPTModifier(sparsity=0.5), dataset="c4")
