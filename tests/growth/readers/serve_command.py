"""Commands that serve a model in shell scripts."""

FILE = "r.sh"
BEFORE = "#!/bin/sh\nvllm serve Qwen/Qwen3-8B -q awq"
AFTER = "\n"
CONSTRUCTS = {
    "options": " --quantization awq@",
    "words": " word@",
    "unknown options": " --word@ 1",
    "commands": ("", "vllm serve Qwen/Qwen3-8B -q awq -tp @\n", ""),
    "folders": ("", "vllm serve ./model@ -q awq\n", ""),
    "results": ("", "quantize --output_dir out@\nvllm serve ./out@ -q awq\n", ""),
    "lines": (BEFORE, " \\\n", "\n"),
    "variables": " $a@",
}
