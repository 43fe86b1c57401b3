"""Recipes in Python scripts."""

FILE = "r.py"
COMMAND = ("validate",)
BEFORE = "from llmcompressor.modifiers.quantization import GPTQModifier\nfrom llmcompressor import oneshot\n"
AFTER = "x = GPTQModifier(targets='Linear', scheme='W4A16', ignore=['lm_head'])\n"
CONSTRUCTS = {
    "assignments": "a@ = @1\n",
    "calls": "f(a@)\n",
    "recipes": "r@ = GPTQModifier(targets='Linear', scheme='W4A16', ignore=['m@'])\n",
    "models": "AutoModel.from_pretrained('x@')\n",
    "near models": "AutoModel.from_pretrained('./x@')\n",
    "files": "y@ = open('f@').read()\n",
    "lines": "a\r\n",
    "deeper lines": "\tx\n",
    "holes": (BEFORE + "x = f'", "{a}", "'\n" + AFTER),
    "elements": (BEFORE + "x = [", "'@', ", "]\n" + AFTER),
    "keywords": (BEFORE + "x = f(", "a@=1, ", ")\n" + AFTER),
    "comprehensions": (BEFORE + "x = [a ", "for a in b ", "]\n" + AFTER),
    "comments": "# sparsecfg: ignore\n",
    "broken lines": "a = = @\n",
}
NESTED = {"parentheses": (BEFORE + "x = ", "(", ")", "\n" + AFTER), "calls": (BEFORE + "x = ", "f(", ")", "\n" + AFTER)}
