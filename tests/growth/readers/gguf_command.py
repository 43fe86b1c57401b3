"""Command lines of llama-quantize in shell scripts."""

FILE = "r.sh"
BEFORE = "#!/bin/sh\nllama-quantize --tensor-type attn=q8_0"
AFTER = " model.gguf out.gguf Q4_K_M\n"
CONSTRUCTS = {
    "entries": " --tensor-type blk.@.attn_v=q6_k",
    "patterns": " --tensor-type '(attn|ffn)_[@]=q6_k'",
    "slow patterns": " --tensor-type '(.*a)+@=q6_k'",
    "overrides": " --override-kv key@=int:1",
    "commands": ("#!/bin/sh\n", "llama-quantize --tensor-type a@=q8_0 model.gguf out.gguf Q4_K_M\n", ""),
    "custom-q": ("#!/bin/sh\nllama-quantize --custom-q 'attn=q8_0", ",a@=iq4_k", "' model.gguf out.gguf Q4_K_M\n"),
    "words": " word@",
    "comments": ("#!/bin/sh\nllama-quantize m o Q4_K_M", "\n# comment @", "\n"),
}
NESTED = {"groups": ("#!/bin/sh\nllama-quantize --tensor-type '", "(a", ")", "=q6_k' model.gguf out.gguf Q4_K_M\n")}
