"""Prints what zsh offers for a command line, which it does only at a terminal.

    zsh_completions.py <folder of _sparsecfg> <command line>
"""

import os
import pty
import re
import select
import sys
import time

# The prompt at the end shows that zsh edits the line by itself from then on, and the terminal no more.
START = r"""PS2=
fpath=(FOLDER $fpath); autoload -Uz compinit; compinit -u -D
compadd() { local -a all; builtin compadd -A all "$@"; print -rl -- "<offer>"${^all}; }
PS1=RE'ADY'
"""


def read_until(terminal, end, seconds=20):
    """What the terminal prints up to the text `end`."""
    out = b""
    limit = time.monotonic() + seconds
    while end not in out and time.monotonic() < limit:
        if select.select([terminal], [], [], 0.2)[0]:
            out += os.read(terminal, 65536)
    if end not in out:
        raise SystemExit(f"zsh does not print {end!r}:\n{out.decode(errors='replace')}")
    return out


folder, line = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp("zsh", ["zsh", "-f", "-i"])
os.write(terminal, START.replace("FOLDER", folder).encode())
read_until(terminal, b"READY")
# After the completion the line is thrown away by Control-U.
os.write(terminal, line.encode() + b"\t\x15print DO'NE'\n")
text = read_until(terminal, b"DONE").decode(errors="replace")
os.close(terminal)
os.waitpid(child, 0)
print("\n".join(re.findall(r"<offer>([^\r\n]*)", text)))
