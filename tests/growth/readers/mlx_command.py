"""Command lines of mlx-lm in shell scripts."""

FILE = "r.sh"
BEFORE = "#!/bin/sh\nmlx_lm.convert --hf-path ./model -q"
AFTER = "\n"
CONSTRUCTS = {
    "options": " --q-bits 4@",
    "words": " word@",
    "unknown options": " --word@ 1",
    "commands": ("", "mlx_lm.convert --hf-path ./model -q --mlx-path out@\n", ""),
    "lines": (BEFORE, " \\\n", "\n"),
    "variables": " $a@",
}
