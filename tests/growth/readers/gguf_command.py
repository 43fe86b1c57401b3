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
    "loops": ("#!/bin/sh\n", "for q in Q4_K_M Q8_0; do llama-quantize m.gguf m@-$q.gguf $q; done\n", ""),
    "words of loops": ("#!/bin/sh\nfor q in", " Q@", "; do llama-quantize m.gguf m-$q.gguf $q; done\n"),
    "arrays": ("#!/bin/sh\nA=(--pure", " --tensor-type a@=q8_0", ')\nllama-quantize "${A[@]}" m.gguf o.gguf Q4_K_M\n'),
    "variables": ("#!/bin/sh\nllama-quantize m.gguf o.gguf Q4_K_M\n", 'A@="$A@$B/x"\nB="$B$A@"\n', ""),
    "branches": ("#!/bin/sh\nllama-quantize m.gguf o.gguf Q4_K_M\n", "if [ $1 ]; then A@=1; else B=2; fi\n", ""),
    "conversions": ("#!/bin/sh\n", "convert_hf_to_gguf.py m@ --outfile f@.gguf\nllama-quantize f@.gguf q@.gguf Q8_0\n", ""),
    "comments": ("#!/bin/sh\nllama-quantize m o Q4_K_M", "\n# comment @", "\n"),
}
NESTED = {
    "nested loops": ("#!/bin/sh\nllama-quantize m.gguf o.gguf Q4_K_M\n", "for a in 1 2; do ", "; done", ""),
    "nested branches": ("#!/bin/sh\nllama-quantize m.gguf o.gguf Q4_K_M\n", "if a; then A=1; ", "fi; ", ""),
    "groups": ("#!/bin/sh\nllama-quantize --tensor-type '", "(a", ")", "=q6_k' model.gguf out.gguf Q4_K_M\n"),
}
