#!/usr/bin/env python3
"""Talks to `sparsecfg lsp` over the wire: orderly sessions, and everything that a broken client could send.

    session.py <sparsecfg>
"""

import json
import pathlib
import sys
import tempfile

from client import TIMEOUT, Client, uri_of

URI = "file:///nowhere/recipe.yaml"
GOOD = """modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: 10.0
"""
BAD = GOOD.replace("end_epoch", "end_epoc")

PARSE, INVALID, NO_METHOD, PARAMS, EARLY, CANCELLED = -32700, -32600, -32601, -32602, -32002, -32800


def codes(diagnostics):
    return [each["code"] for each in diagnostics if each["severity"] < 4]


def span(line, start, end_line, end):
    return {"start": {"line": line, "character": start}, "end": {"line": end_line, "character": end}}


def test_order(program):
    client = Client(program, initialize=False)
    assert client.ask("textDocument/hover", {})["error"]["code"] == EARLY
    client.open(URI, BAD)  # before `initialize`: not looked at
    server = client.request("initialize", {"capabilities": {}})
    assert server["capabilities"]["positionEncoding"] == "utf-16" and server["serverInfo"]["name"] == "sparsecfg"
    assert client.ask("initialize", {"capabilities": {}})["error"]["code"] == INVALID
    assert client.ask("no/such/method", {})["error"]["code"] == NO_METHOD
    client.notify("$/noSuchNotification", {})
    client.notify("textDocument/didChange", {"textDocument": {"uri": URI}, "contentChanges": [{"text": ""}]})  # not open
    assert client.request("shutdown", None) is None
    assert client.ask("shutdown", None)["error"]["code"] == INVALID
    assert not client.notifications, client.notifications
    client.notify("exit", None)
    assert client.process.wait(TIMEOUT) == 0
    client = Client(program)
    client.notify("exit", None)  # without `shutdown`
    assert client.process.wait(TIMEOUT) == 1


def test_pulled_findings(program):
    client = Client(program, capabilities={"textDocument": {"diagnostic": {}}})
    client.open(URI, BAD)
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    assert report["kind"] == "full" and "SP105" in codes(report["items"]), report
    assert client.stop() == 0
    assert not client.notifications, client.notifications


def test_findings(program):
    client = Client(program)
    client.open(URI, BAD)
    found = client.diagnostics(URI)
    assert "SP105" in codes(found), found
    misspelt = next(each for each in found if each["code"] == "SP105")
    assert misspelt["range"] == span(3, 2, 3, 10), misspelt
    assert "end_epoch" in misspelt["message"] and misspelt["source"] == "sparsecfg"
    client.change(URI, 2, {"range": span(3, 10, 3, 10), "text": "h"})
    assert codes(client.diagnostics(URI)) == []
    client.change(URI, 3, {"range": span(0, 9, 0, 10), "text": ""})  # `modifiers` without its colon
    assert codes(client.diagnostics(URI)) == ["SP001"]
    client.change(URI, 4, {"text": "services:\n  web: {image: nginx}\n"})
    assert client.diagnostics(URI) == []  # no recipe
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert client.diagnostics(URI) == []
    client.open("untitled:Untitled-1", BAD)
    assert "SP105" in codes(client.diagnostics("untitled:Untitled-1"))
    assert client.stop() == 0


SCRIPT = """from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", scheme="W4A17", ignore=["lm_head"])]
"""
FENCE = "# Card\n\n```yaml\nquant_stage:\n  quant_modifiers:\n    GPTQModifier: {scheme: W4A17}\n```\n"


def test_recipes_in_other_files(program):
    notebook = json.dumps({"cells": [{"cell_type": "markdown", "source": ["# About"]},
                                     {"cell_type": "code", "source": SCRIPT.splitlines(True)}]}, indent=1)
    for name, text in (("quantize.py", SCRIPT), ("quantize.ipynb", notebook), ("README.md", FENCE)):
        client = Client(program)
        uri = f"file:///nowhere/{name}"
        client.open(uri, text)
        found = client.diagnostics(uri)
        assert "LC202" in codes(found), (name, found)
        wrong = next(each for each in found if each["code"] == "LC202")
        line = text.splitlines()[wrong["range"]["start"]["line"]]
        assert "W4A17" in line[wrong["range"]["start"]["character"]:], (name, wrong)
        document, place = {"uri": uri}, wrong["range"]["start"]
        for method in ("hover", "completion", "definition", "documentSymbol", "formatting", "codeAction", "inlayHint"):
            answer = client.ask(f"textDocument/{method}", {
                "textDocument": document, "position": place, "range": wrong["range"],
                "options": {"tabSize": 2, "insertSpaces": True}, "context": {"diagnostics": [wrong]}})
            assert "result" in answer, (name, method, answer)
            if method == "formatting":
                assert not answer["result"], (name, answer)
        client.change(uri, 2, {"text": text.replace("W4A17", "W4A16")})
        assert "LC202" not in codes(client.diagnostics(uri)), name
        assert client.stop() == 0


def test_last_of_several_changes(program):
    client = Client(program)
    changes = [{"method": "textDocument/didChange", "params": {
        "textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]}}
        for version, text in ((2, GOOD), (3, BAD), (4, GOOD), (5, BAD))]
    client.send({"method": "textDocument/didOpen", "params": {"textDocument": {
        "uri": URI, "languageId": "yaml", "version": 1, "text": GOOD}}}, *changes)
    while (message := client.read())["params"]["version"] < 5:
        pass
    assert "SP105" in codes(message["params"]["diagnostics"])
    assert client.stop() == 0


def test_utf16(program):
    client = Client(program)
    text = GOOD.replace("  end_epoch: 10.0", "  end_epoch: 10.0 # 😀é")
    client.open(URI, text)
    assert codes(client.diagnostics(URI)) == []
    # An emoji counts as two units; a place within it counts as its beginning.
    client.change(URI, 2, {"range": span(3, 21, 3, 22), "text": "x"}, {"range": span(3, 21, 3, 23), "text": ""},
                  {"range": span(3, 5, 3, 6), "text": "_"})
    assert codes(client.diagnostics(URI)) == []
    client.change(URI, 3, {"range": span(3, 2, 3, 11), "text": "’😀x"}, {"range": span(3, 3, 3, 6), "text": "end_epoc😀"})
    found = [each["range"] for each in client.diagnostics(URI) if each["code"] == "SP105"]
    assert found == [span(3, 2, 3, 13)], found
    assert client.stop() == 0


def test_broken_frames(program):
    broken = [b"Content-Length: soon\r\n\r\n", b"Content-Type: x\r\n\r\n", b"\x00\xff garbage\r\n\r\n",
              b"Content-Length: 3\r\n\r\n{a}", b"Content-Length: -5\r\n\r\n", b"Content-Length: 0\r\n\r\n",
              b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 5\r\n\r\n{\"a\":1}", b"x" * 10000 + b"\r\n",
              b"Content-Length: 99999999999999999999999\r\n\r\n", b'Content-Length: 9\r\n\r\n"\\ud800\xff"', b"\r\n\r\n",
              b"[" * 100000 + b"\n"]
    for data in broken:
        client = Client(program)
        client.write(data)
        client.open(URI, BAD)
        answers = []
        while (message := client.read()).get("method") is None:
            answers.append(message["error"]["code"])
            assert message["id"] is None
        assert set(answers) <= {PARSE, INVALID} and (answers or not data.strip()), (data[:30], answers)
        assert "SP105" in codes(message["params"]["diagnostics"]), data[:30]
        assert client.stop() == 0


def test_odd_parameters(program):
    client = Client(program)
    for params in (None, 3, [], {}, {"textDocument": 3}, {"textDocument": {"uri": URI}}, {"textDocument": {"uri": None}}):
        for method in ("didOpen", "didChange", "didSave", "didClose"):
            client.notify(f"textDocument/{method}", params)
        for name, enabled in client.server["capabilities"].items():
            method = "textDocument/" + name.removesuffix("Provider")
            if name.endswith("Provider") and enabled:
                assert client.ask(method, params)["error"]["code"] in (PARAMS, NO_METHOD), (method, params)
    client.notifications.clear()
    client.open(URI, GOOD)
    assert codes(client.diagnostics(URI)) == []
    for place in (span(99, 99, 3, 3), span(-1, -1, 2**40, 2**40)):
        client.change(URI, 2, {"range": place, "text": "# x\n"})
        client.diagnostics(URI)
    client.change(URI, 3, {"range": {"start": {}}, "text": "x"})
    assert client.stop() == 0


def test_large(program):
    client = Client(program)
    client.open(URI, "modifiers: []\n" + "# long\n" * 700000)  # 4.9 MB: more than a recipe may have
    assert codes(client.diagnostics(URI)) == ["SP014"]
    body = b'{"jsonrpc": "2.0", "id": 7, "method": "shutdown", "x": "' + b"x" * (65 << 20) + b'"}'
    client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert client.read()["error"]["code"] == PARSE
    assert client.stop() == 0


def test_nested_messages(program):
    client = Client(program)
    for depth, code in ((127, NO_METHOD), (128, PARSE), (100000, PARSE)):
        for field in ("id", "params"):
            body = b'{"jsonrpc": "2.0", "id": 1, "method": "x", "%s": %s}' % (field.encode(), b"[" * depth + b"]" * depth)
            client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            assert client.read()["error"]["code"] == code, (depth, field)
    for count, code in ((999_000, NO_METHOD), (1_000_100, PARSE)):
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": [%s]}' % b",".join([b"0"] * count)
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert client.read()["error"]["code"] == code, count
    assert client.stop() == 0


def test_settings_of_a_stranger(program):
    """Settings that name what is no file of the project: the server answers, and shows no line of it."""
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root, "project")
        (folder / ".git").mkdir(parents=True)
        pathlib.Path(root, "secret.txt").write_text("hunter2\n")
        (folder / "link.txt").symlink_to("../secret.txt")
        (folder / ".hidden.txt").write_text("hunter2\n")
        (folder / "key.txt").write_text("password = hunter2\n")
        (folder / "names.txt").write_text("a.weight\n")
        client = Client(program)
        uri = uri_of(folder / "recipe.yaml")
        client.open(uri, GOOD)
        client.diagnostics(uri)
        for name, refused in (("/dev/fd/0", True), ("/dev/stdin", True), ("/proc/self/fd/0", True), ("/dev/zero", True),
                              ("../secret.txt", True), ("link.txt", True), (".hidden.txt", True), ("key.txt", True),
                              ("names.txt", False)):
            for setting in ("params", "modules"):
                (folder / ".sparsecfg.yaml").write_text(f"{setting}: {name}\n")
                client.notify("workspace/didChangeWatchedFiles", {"changes": []})
                text = " ".join(each["message"] for each in client.diagnostics(uri))
                refused = refused or setting == "modules"  # lines without a type
                assert (name.removeprefix("../") in text) == refused and "hunter2" not in text, (name, text)
        assert client.stop() == 0


def test_many_changes(program):
    """Changes of one message are made one after the other, on lines of any length."""
    client = Client(program)
    text = "# " + "é😀x" * 50000 + "\n" + GOOD
    client.open(URI, text)
    assert codes(client.diagnostics(URI)) == []
    changes = [each for at in range(2000) for each in (
        {"range": span(0, 2 + 4 * at, 0, 2 + 4 * at), "text": "yy"}, {"range": span(0, 2 + 4 * at, 0, 4 + 4 * at), "text": ""})]
    client.change(URI, 2, *changes, {"range": span(4, 2, 4, 11), "text": "end_epoc"})
    found = [each["range"] for each in client.diagnostics(URI) if each["code"] == "SP105"]
    assert found == [span(4, 2, 4, 10)], found
    assert client.stop() == 0


def test_cut_streams(program):
    message = Client.frame({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
    for cut in (0, 1, 10, 20, 22, 23, len(message) - 1, len(message)):
        client = Client(program, initialize=False)
        client.write(message[:cut])
        client.process.stdin.close()
        assert client.process.wait(TIMEOUT) == 1, cut


def test_cancellation(program):
    client = Client(program)
    client.open(URI, GOOD)
    client.diagnostics(URI)
    hover = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 5}}
    client.send({"id": 101, "method": "textDocument/hover", "params": hover},
                {"id": 102, "method": "textDocument/hover", "params": hover},
                {"method": "$/cancelRequest", "params": {"id": 101}},
                {"method": "$/cancelRequest", "params": {"id": 999}},
                {"method": "$/cancelRequest", "params": {}},
                {"method": "$/cancelRequest", "params": [101]})
    first, second = client.read(), client.read()
    # Both are waiting unless the server was faster than the pipe, which may be with the first of them alone.
    assert first["id"] == 101 and (first.get("error", {}).get("code") == CANCELLED or "error" not in first), first
    assert second["id"] == 102 and second.get("error", {}).get("code") != CANCELLED, second
    assert client.stop() == 0


def test_folders_with_settings(program):
    with tempfile.TemporaryDirectory() as root:
        folders = [pathlib.Path(root, name) for name in ("one", "two", "three")]
        for folder, settings in zip(folders, ("ignore: [SP105]\n", "severity: {SP105: warning}\n", "exclude: [rec*]\n")):
            (folder / ".git").mkdir(parents=True)
            (folder / ".sparsecfg.yaml").write_text(settings)
        client = Client(program, workspaceFolders=[{"uri": uri_of(each), "name": each.name} for each in folders])
        uris = [uri_of(folder / "recipe.yaml") for folder in folders]
        for uri in uris:
            client.open(uri, BAD)
        first, second, third = map(client.diagnostics, uris)
        assert "SP105" not in codes(first) and third == []
        assert [each["severity"] for each in second if each["code"] == "SP105"] == [2]
        settings = folders[0] / ".sparsecfg.yaml"
        settings.write_text("ignore: [SP9999]\n")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(settings), "type": 2}]})
        found = client.diagnostics(uris[0])
        assert any("SP9999" in each["message"] for each in found) and any(each.get("code") == "SP105" for each in found)
        client.open(uri_of(settings), "from: sparseml\nignore: [SP9999]\n")
        shown = client.diagnostics(uri_of(settings))
        assert [each["range"]["start"]["line"] for each in shown] == [1], shown
        assert client.stop() == 0


def test_config_file(program):
    with tempfile.TemporaryDirectory() as root:
        settings = pathlib.Path(root, ".sparsecfg.yaml")
        client = Client(program)
        text = "runtime: \nselect: []\n\nsteps-per-epoch: 10\n"
        client.open(uri_of(settings), text)

        def labels(line, character):
            place = {"textDocument": {"uri": uri_of(settings)}, "position": {"line": line, "character": character}}
            return [each["label"] for each in client.request("textDocument/completion", place)["items"]]

        assert "vllm" in labels(0, 9) and "SP202" in labels(1, 9)
        assert "model" in labels(2, 0) and "runtime" not in labels(2, 0)
        place = {"textDocument": {"uri": uri_of(settings)}, "position": {"line": 3, "character": 2}}
        assert "Optimizer steps per epoch" in client.request("textDocument/hover", place)["contents"]["value"]
        assert client.stop() == 0


def test_hover_of_entries(program):
    """An entry of a list says which modules it decides: the FP8 reader of transformers matches parts of names."""
    layers = "".join(f"model.layers.{number}.mlp.down_proj\tLinear\t64x64\n" for number in range(12))
    text = '{"quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.1"]}}'
    with tempfile.TemporaryDirectory() as root:
        pathlib.Path(root, "modules.txt").write_text(layers)
        pathlib.Path(root, ".sparsecfg.yaml").write_text("modules: modules.txt\n")
        client = Client(program)
        uri = uri_of(pathlib.Path(root, "config.json"))
        client.open(uri, text)
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": text.index("layers.1")}}
        shown = client.request("textDocument/hover", place)["contents"]["value"]
        assert "decides 3 of 12 modules" in shown and "`model.layers.11.mlp.down_proj`" in shown, shown
        assert client.stop() == 0


def main():
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    for name, test in tests.items():
        test(sys.argv[1])
        print(f"{name}: passed")


main()
