#!/usr/bin/env python3
"""What a repository of strangers must not achieve: files out of the project are neither read nor written, the runner of a
CI job obeys no text of it, settings take no unbounded work, and the language server keeps the text of the editor.

    untrusted.py <sparsecfg>
"""

import ast
import json
import os
import struct
import subprocess
import sys
import tempfile

FAILURES = []
RECIPE = """training_modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: 20.0
- !GMPruningModifier
  params: [fc.weight]
  init_sparsity: 0.05
  final_sparsity: 0.8
  start_epoch: 0.0
  end_epoch: 8.0
  update_frequency: 0.5
"""
CONFIG = json.dumps({"architectures": ["LlamaForCausalLM"], "quantization_config": {
    "quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"], "config_groups": {"g": {
        "targets": ["Linear"],
        "weights": {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 128}}}}})
LLAMA = json.dumps({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
                    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000})
SECRET = "model.layers.0.q_proj.weight_packed\nSECRET_TOKEN.weight_scale\nlm_head.weight\n"


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def write(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*arguments, text=None, **environment):
    result = subprocess.run([SPARSECFG, *arguments], input=text, stdin=None if text is not None else subprocess.DEVNULL,
                            capture_output=True, check=False, env={**os.environ, **environment}, timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def header(names):
    text = json.dumps({each: {"dtype": "F32", "shape": [8, 8], "data_offsets": [0, 1]} for each in names}).encode()
    return struct.pack("<Q", len(text)) + text


def weights_out_of_the_project():
    write("secret.env", SECRET)
    os.makedirs("p/.git")
    write("p/config.json", CONFIG)
    os.symlink("../secret.env", "p/model.safetensors.index.json")
    _, out, _ = run("validate", "p/config.json")
    check("SECRET" not in out, "prints a line of a file out of the project")
    check("SP014" in out and "outside of the project" in out, f"does not say why the weights are not compared: {out}")


def weights_in_the_project():
    """Weights in the project are compared, also through a link in it, and in the cache of the Hugging Face Hub."""
    names = ["model.layers.0.q_proj.weight_packed", "extra.weight_scale"]
    write("a/.git/HEAD", "")
    write("a/shared/m.safetensors", header(names))
    write("a/m/config.json", CONFIG)
    os.symlink("../shared/m.safetensors", "a/m/model.safetensors")
    check("CT3" in run("validate", "a/m/config.json")[1], "weights in the project are not compared")
    write("models--x/blobs/1", CONFIG)
    write("models--x/blobs/2", header(names))
    os.makedirs("models--x/snapshots/r")
    os.symlink("../../blobs/1", "models--x/snapshots/r/config.json")
    os.symlink("../../blobs/2", "models--x/snapshots/r/model.safetensors")
    check("CT3" in run("validate", "models--x/snapshots/r/config.json")[1], "weights in the cache of the Hub are not compared")


def many_shards():
    """Headers of 8 MiB each: five of them exceed the limit for a project."""
    write("config.json", CONFIG)
    shard = header([f"layers.{at}.{'x' * 400}.weight" for at in range(20000)])
    write("s0.safetensors", shard)
    for at in range(1, 5):
        os.symlink("s0.safetensors", f"s{at}.safetensors")
    write("model.safetensors.index.json", json.dumps({"weight_map": {f"layers.{at}.weight": f"s{at}.safetensors" for at in range(5)}}))
    check("limit for the headers" in run("validate", "config.json")[1], "reads any number of shards")


def extends_in_a_tree():
    os.mkdir(".git")
    write("r.yaml", RECIPE)
    for at in range(7):
        names = ", ".join([f"e{at + 1}.yaml"] * 10)
        write(".sparsecfg.yaml" if at == 0 else f"e{at}.yaml", f"extends: [{names}]\n")
    write("e7.yaml", "fail-on: warning\n")
    status, _, err = run("validate", "r.yaml")
    check(status == 2 and "more than 64 files" in err, f"extends in a tree: {status} {err}")
    write(".sparsecfg.yaml", "extends: [e7.yaml, e7.yaml]\n")
    check(run("validate", "r.yaml")[0] == 0, "a file that is extended twice is rejected")


def baseline_of_settings():
    write("outside/b.json", '{"format": 1, "findings": []}\n')
    write("p/.git/HEAD", "")
    write("p/r.yaml", RECIPE)
    write("p/.sparsecfg.yaml", "baseline: b.json\n")
    os.symlink("../outside/b.json", "p/b.json")
    os.chdir("p")
    check(run("validate", "--write-baseline")[0] == 2, "a baseline is written through a link")
    check(len(text_of("../outside/b.json")) < 40, "a file out of the project was rewritten")
    write(".sparsecfg.yaml", "baseline: setup.py\n")
    check(run("validate", "--write-baseline")[0] == 2 and not os.path.exists("setup.py"), "settings create setup.py")
    write(".sparsecfg.yaml", "baseline: new.json\n")
    check(run("validate", "--write-baseline")[0] == 0 and os.path.exists("new.json"), "a new baseline is refused")


def commands_to_runners():
    key = "##[stop-commands]x"
    write("##[add-matcher]x.yaml", RECIPE.replace(": 8.0", ":   8.0"))
    write("r.yaml", f"# ##[group]a\n{RECIPE}- !EpochRangeModifier\n  '{key}': 1\n")
    write("block.yaml", f"a: |\n  ::add-mask::x\n\n   ::stop-commands::y\nb: '##vso[task.x]'\n{RECIPE}")
    commands = (["validate", "--format", "text", "r.yaml"], ["validate", "--format", "concise", "r.yaml"], ["normalize", "--check", "."],
                ["validate", "--show-files", "."], ["normalize", "r.yaml"], ["normalize", "block.yaml"],
                ["normalize", "--diff", "##[add-matcher]x.yaml"], ["validate", "--format", "json", "r.yaml"], ["validate", "r.yaml"],
                ["validate", "##[missing].yaml"])
    for variable in ({"GITHUB_ACTIONS": "true"}, {"TF_BUILD": "True"}, {"TEAMCITY_VERSION": "1"}):
        for words in commands:
            _, out, err = run(*words, **variable)
            lines = (out + err).splitlines()
            check(not any("##[" in line or "##vso[" in line for line in lines), f"{words}: `##[` reaches the log")
            check(not any(line.strip().startswith(("::add-mask", "::stop")) for line in lines), f"{words}: `::` reaches the log")
    _, out, _ = run("validate", "--format", "json", "r.yaml", GITHUB_ACTIONS="true")
    check(key in json.dumps(json.loads(out)), "JSON is read back with other text")
    check(run("validate", "r.yaml", GITHUB_ACTIONS="true")[1].startswith("::"), "there are no annotations")
    with open("out.yaml", "wb") as file:
        subprocess.run([SPARSECFG, "normalize", "r.yaml"], stdout=file, check=False, env={**os.environ, "GITHUB_ACTIONS": "true"})
    check("##[group]" in text_of("out.yaml"), "output to a file is changed")
    check("##[group]" in run("normalize", "r.yaml")[1], "output without a runner is changed")


def comments_in_programs():
    write("r.yaml", f"# \u202eabc\u2066 é\n{RECIPE}")
    _, out, _ = run("convert", "--to", "pytorch", "--allow-loss", "--initial-lr", "0.1", "--steps-per-epoch", "2", "r.yaml")
    check("\u202e" not in out and "\\u202e" in out and "é" in out, "a program contains bidirectional controls")


def links_in_summaries():
    name = "[x](https:evil) www.evil.org.yaml"
    for revision in ("0.8", "0.9"):
        write(name if revision == "0.9" else "before.yaml", RECIPE.replace("0.8", revision))
    out = run("diff", "--format", "markdown", "before.yaml", name)[1]
    check("](" not in out and "www." not in out, f"a name is a link: {out}")


TENSOR = {"dtype": "F32", "shape": [128, 128], "data_offsets": [0, 1]}
LAYERS = {f"model.layers.{at}.q_proj.weight": TENSOR for at in range(2)}
# Each would be code, an entry, a pattern or a control sequence without quotes.
NAMES = ("x\\\"])]#", "a\"+print(1)+\"", "lm_head, other", "a]: [b", "'", "\\", "a'b\"c", "${a}", "$(id)", "{a}", "- a", "# a", "&a", "!a", "*a", "%a")
REJECTED = ("x\\\"])]\nprint('PWNED')\n_=[#", "lm_head]\n    SmoothQuantModifier: {a: 1.0}\nx: [y", "\x1b]0;title\x07", "\u202eabc", "re:.*")


def create(*arguments):
    return run("create", "--to", "llm-compressor", *arguments)


def ignored_in_script(text):
    """The entries of `ignore` in a script, whose only statements are the usual ones."""
    tree = ast.parse(text)
    kinds = [type(each).__name__ for each in tree.body]
    check(kinds == ["ImportFrom", "ImportFrom", "Assign", "Assign", "Expr"], f"a script has the statements {kinds}")
    return next(ast.literal_eval(each.value) for each in ast.walk(tree) if isinstance(each, ast.keyword) and each.arg == "ignore")


def names_in_created_files():
    """Names of tensors and folders are data in recipes and scripts."""
    os.mkdir("m")
    for name in NAMES:
        write("m/model.safetensors", header_of({**LAYERS, name + ".weight": TENSOR}))
        status, out, err = create("--model", "m", "--script")
        check(status == 0, f"{name!r}: {err}")
        check(status != 0 or ignored_in_script(out) == [name], f"{name!r} is another entry in a script: {out}")
        status, out, err = create("--model", "m")
        write("r.yaml", out)
        check(status == 0 and len(out.splitlines()) == 6, f"{name!r} adds lines to a recipe: {out}{err}")
        check("SP0" not in run("validate", "r.yaml")[1], f"{name!r} makes a recipe invalid: {out}")
    for name in REJECTED:
        write("m/model.safetensors", header_of({**LAYERS, name + ".weight": TENSOR}))
        for more in ([], ["--script"]):
            status, out, err = create("--model", "m", *more)
            check(status == 2 and not out and "\x1b" not in err, f"{name!r} is accepted: {out}{err}")
    for folder in ("d\\\"\nprint('PWNED')#", "'", "a\"b'c", "\x1b[1m", "x\\"):
        write(folder + "/config.json", LLAMA)
        _, out, _ = create("--model", folder, "--script")
        tree = ast.parse(out)
        check(any(isinstance(each, ast.Assign) and ast.literal_eval(each.value) == folder for each in tree.body[:3] if isinstance(each, ast.Assign)),
              f"the folder {folder!r} is another string: {out}")
        check("\x1b" not in out, f"the folder {folder!r} writes a control character")


def names_in_pruned_parameters():
    """No recipe is written for names that SparseML rejects, such as those with blanks. The others make valid recipes."""
    for name in NAMES:
        write("n.json", json.dumps({name + ".weight": [64, 64], "b.weight": [64, 64]}))
        status, out, err = run("create", "--params", "n.json")
        check((status, bool(out)) in ((0, True), (1, False)), f"{name!r}: {status} {out}{err}")
        write("r.yaml", out)
        check(not out or "SP0" not in run("validate", "r.yaml")[1], f"{name!r} makes a recipe invalid: {out}")


def quoted_files():
    """A finding quotes at most 2,000 bytes of a file that a script reads."""
    write("secret.txt", "S" * 100000)
    write("a.py", "from pathlib import Path\nfrom llmcompressor.modifiers.quantization import QuantizationModifier\n"
          "x = QuantizationModifier(targets='Linear', scheme=Path('secret.txt').read_text(), ignore=['lm_head'])\n")
    out = run("validate", "a.py")[1]
    check("S" * 2100 not in out, f"quotes {out.count('S')} bytes of another file")


def header_of(tensors):
    text = json.dumps(tensors).encode()
    return struct.pack("<Q", len(text)) + text


def frame(message):
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def halves_of_characters():
    """After a change with half of a surrogate pair, places are those of the editor."""
    uri = "file:///nowhere/a.yaml"

    def note(method, **params):
        return frame({"jsonrpc": "2.0", "method": method, "params": {"textDocument": {"uri": uri, "version": 2}, **params}})

    def insert(line, column, text):
        place = {"line": line, "character": column}
        return note("textDocument/didChange", contentChanges=[{"range": {"start": place, "end": place}, "text": text}])

    opened = frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": uri, "languageId": "yaml", "version": 1, "text": RECIPE}}})
    text = b"".join((
        frame({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}), opened, insert(0, 0, "# \ud83d\n"),
        insert(0, 3, "\ude00"), insert(0, 4, "\\\\ud800 \\n"), insert(5, 0, "# here\n"),
        frame({"jsonrpc": "2.0", "id": 5, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri}}}),
        frame({"jsonrpc": "2.0", "id": 99, "method": "shutdown"}), frame({"jsonrpc": "2.0", "method": "exit"})))
    out = run("lsp", text=text)[1]
    check("invalid JSON" not in out, "half of a surrogate pair is invalid")
    answer = next(json.loads(each) for each in out.replace("}Content-Length", "}\r\nContent-Length").split("\r\n") if '"id":5,' in each)
    symbols = [each for top in answer["result"] for each in (top, *top.get("children", []))]
    lines = [each["range"]["start"]["line"] for each in symbols if each["name"].startswith("GMPruning")]
    check(lines == [6], f"the modifier is in line {lines}, not 6")


def main():
    global SPARSECFG
    SPARSECFG = os.path.abspath(sys.argv[1])
    for variable in ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"):
        os.environ.pop(variable, None)
    for test in (weights_out_of_the_project, weights_in_the_project, many_shards, extends_in_a_tree, baseline_of_settings,
                 commands_to_runners, comments_in_programs, links_in_summaries, halves_of_characters, names_in_created_files,
                 names_in_pruned_parameters, quoted_files):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            before = len(FAILURES)
            test()
            FAILURES[before:] = [f"{test.__name__}: {each}" for each in FAILURES[before:]]
            os.chdir("/")
    print("\n".join(FAILURES) or "strangers achieve nothing")
    return 1 if FAILURES else 0


sys.exit(main())
