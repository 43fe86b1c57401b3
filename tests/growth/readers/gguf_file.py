"""The file of `--tensor-type-file`."""

FILE = "types.txt"
COMMAND = ("validate", "--from", "gguf")
BEFORE = "attn=q8_0"
AFTER = "\n"
CONSTRUCTS = {
    "entries": "\nblk.@.attn_v=q6_k",
    "patterns": "\n(attn|ffn)_[@]=q6_k",
    "slow patterns": "\n(.*a)+@=q6_k",
    "several on a line": " ffn_@=q4_k",
    "without a type": "\nffn_@",
    "unknown types": "\nffn_@=q@_x",
}
NESTED = {"groups": ("", "(a", ")", "=q6_k\n"), "classes": ("", "[a", "]", "=q6_k\n")}
