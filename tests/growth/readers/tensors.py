"""Tensors of an index of weights, as `create` reads them."""

FILE = "m/model.safetensors.index.json"
COMMAND = ("create", "--to", "llm-compressor", "--script", "--model")
CHECKED = "m"
BEFORE = '{"metadata": {}, "weight_map": {"model.layers.0.q_proj.weight": "a.safetensors"'
AFTER = '}}'
SEPARATOR = ", "
CONSTRUCTS = {
    "layers": '"model.layers.@.q_proj.weight": "a.safetensors"',
    "heads": '"head@.weight": "a.safetensors"',
    "shards": '"model.layers.@.up_proj.weight": "s@.safetensors"',
    "towers": '"vision_tower@.layers.@.q.weight": "a.safetensors"',
    "quotes": '"x\\"@\\\\\\".weight": "a.safetensors"',
    "deep names": '"a.b.c.d.e.f.g.h.i.@.weight": "a.safetensors"',
}
