#!/usr/bin/env python3
"""A dialogue with `sparsecfg mcp`: negotiation, every tool, resources, cancellation, many calls at once, and hostile input.

    session.py <sparsecfg>
"""

import json
import os
import subprocess
import sys
import tempfile

RECIPE = """quant_stage:
  quant_modifiers:
    QuantizationModifier: {scheme: W4A16, targets: [Linear], ignore: [lm_hed]}
"""
SCHEDULE = """modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: 4.0
- !ConstantPruningModifier
  start_epoch: 0.0
  end_epoch: 4.0
  params: [fc.weight]
"""
FAILURES = []


def check(condition, what):
    if not condition:
        FAILURES.append(what)


class Client:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.last = 0

    def write(self, *messages):
        text = "".join((m if isinstance(m, str) else json.dumps({"jsonrpc": "2.0", **m})) + "\n" for m in messages)
        self.process.stdin.write(text.encode("utf-8", "surrogatepass"))
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        self.last += 1
        self.write({"id": self.last, "method": method, "params": params})
        answer = self.read()
        check(answer.get("id") == self.last and answer.get("jsonrpc") == "2.0", f"{method}: {answer}")
        return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=20)


def start(program, folder, version="2025-11-25"):
    client = Client(program, folder)
    answer = client.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})
    client.write({"method": "notifications/initialized"})
    return client, answer["result"]


def check_negotiation(program, folder):
    client = Client(program, folder)
    check(client.ask("tools/list")["error"]["code"] == -32600, "a request before `initialize` is answered")
    check(client.ask("ping")["result"] == {}, "ping")
    check(client.close() == 0, "the exit status of an ended session")
    for asked, got in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2099-01-01", "2025-11-25")):
        client, result = start(program, folder, asked)
        check(result["protocolVersion"] == got, f"version {asked}: {result['protocolVersion']}")
        check("tools" in result["capabilities"] and "resources" in result["capabilities"], "capabilities")
        client.close()


def check_tools(client):
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    check(set(tools) == {"validate", "explain", "inspect", "match", "timeline", "diff", "convert", "create", "models"},
          f"tools: {sorted(tools)}")
    for tool in tools.values():
        names = set(tool["inputSchema"]["properties"])
        check(tool["annotations"]["readOnlyHint"] and "outputSchema" in tool, f"{tool['name']}: annotations")
        check(not names & {"output", "fix", "force", "write", "watch", "write-baseline", "unsafe-fixes"},
              f"{tool['name']} can write: {sorted(names)}")
    check("runtime" in tools["validate"]["inputSchema"]["properties"], "options of validate")
    check("to" in tools["convert"]["inputSchema"]["required"], "required options")


def check_calls(client):
    found = client.call("validate", files=["recipe.yaml"], model="Qwen/Qwen3-8B")["result"]
    codes = [each["code"] for each in found["structuredContent"]["report"]["files"][0]["diagnostics"]]
    check(codes and not found["isError"] and json.loads(found["content"][0]["text"]), f"validate: {codes}")
    text = client.call("validate", text=RECIPE, filename="other.yaml")["result"]
    check(text["structuredContent"]["report"]["files"][0]["path"] == "other.yaml", "a recipe as text")
    check("SP104" in client.call("explain", topic="SP104")["result"]["content"][0]["text"], "explain")
    check(client.call("explain", topic="--help")["result"]["isError"], "a topic is read as an option")
    report = client.call("inspect", files=["schedule.yaml"])["result"]["structuredContent"]["report"]
    check(isinstance(report, dict), "inspect")
    check(client.call("match", files=["recipe.yaml"], model="Qwen/Qwen3-8B")["result"]["structuredContent"]["status"] == 0,
          "match")
    check(not client.call("timeline", files=["schedule.yaml"], **{"steps-per-epoch": 2})["result"]["isError"], "timeline")
    same = client.call("diff", files=["schedule.yaml", "copy.yaml"])["result"]["structuredContent"]
    check(same["status"] == 0, f"diff: {same}")
    converted = client.call("convert", files=["schedule.yaml"], to="ir")["result"]["structuredContent"]
    check(converted["output"].startswith("{"), "convert")
    created = client.call("create", to="llm-compressor", scheme="AWQ")["result"]["structuredContent"]
    check("AWQModifier" in created["output"], "create")
    check("Qwen/" in client.call("models")["result"]["structuredContent"]["output"], "models")


def check_errors(client):
    for tool, arguments in (("nothing", {}), ("validate", {"fix": True}), ("validate", {"files": ["/etc/passwd"]}),
                            ("validate", {"files": ["../secret.yaml"]}), ("validate", {"files": ["link.yaml"]}),
                            ("validate", {"files": ["missing.yaml"]}), ("validate", {"files": ["-"]}),
                            ("validate", {"files": ["recipe.yaml"], "model": "/etc"}), ("validate", {"files": ["out"]}),
                            ("validate", {"text": RECIPE, "filename": "../x.yaml"}), ("validate", {"files": [{}]}),
                            ("diff", {"files": ["HEAD", "recipe.yaml"]}), ("convert", {"output": "x"}),
                            ("validate", {"files": ["recipe.yaml"], "verbose": "x"})):
        answer = client.call(tool, **arguments)
        check(answer.get("error", {}).get("code") == -32602, f"{tool} {arguments}: {str(answer)[:200]}")
    check(client.ask("tools/call", arguments={})["error"]["code"] == -32602, "a call without a name")
    check(client.ask("nothing/list")["error"]["code"] == -32601, "an unknown method")
    check(client.call("convert", files=["recipe.yaml"])["result"]["isError"], "a missing required option is no error")


def check_resources(client):
    seen, cursor = [], None
    while True:
        result = client.ask("resources/list", **({"cursor": cursor} if cursor else {}))["result"]
        seen += [each["uri"] for each in result["resources"]]
        cursor = result.get("nextCursor")
        if cursor is None:
            break
    check(len(seen) == len(set(seen)) > 500, f"{len(seen)} resources")
    page = client.ask("resources/read", uri="sparsecfg://rules/SP104")["result"]["contents"][0]
    check("SP104" in page["text"], "the page of a rule")
    for uri in ("sparsecfg://rules/../x", "file:///etc/passwd", "sparsecfg://rules/--help"):
        check(client.ask("resources/read", uri=uri).get("error", {}).get("code") == -32602, uri)
    check("error" in client.ask("resources/list", cursor="x"), "an invalid cursor")
    check(client.ask("resources/templates/list")["result"]["resourceTemplates"], "templates")


def check_many(client):
    """A hundred calls at once; those that are cancelled while they wait get no answer."""
    calls = [{"id": f"c{at}", "method": "tools/call", "params": {"name": "validate", "arguments": {"files": ["recipe.yaml"]}}}
             for at in range(100)]
    cancelled = {f"c{at}" for at in range(90, 100)}
    client.write(*calls, *({"method": "notifications/cancelled", "params": {"requestId": each}} for each in sorted(cancelled)),
                 {"id": "end", "method": "ping"})
    answered = set()
    while "end" not in answered:
        answered.add(client.read()["id"])
    check({f"c{at}" for at in range(80)} <= answered, "calls without an answer")


def check_hostile(program, folder):
    client, _ = start(program, folder)
    bad = ["{", "[]", "[" * 100_000, '{"jsonrpc": "2.0"}', '"x"', "\x00", '{"jsonrpc":"1.0","id":1,"method":"ping"}', "\udcff"]
    client.write(*bad)
    for text in bad:
        check("error" in client.read(), f"no error for {text[:20]!r}")
    client.write("{" + " " * (65 << 20) + "}")
    check("error" in client.read(), "a message that is too long")
    client.write({"method": "notifications/cancelled", "params": {"requestId": 99}}, {"method": "notifications/unknown"})
    deep = client.call("validate", text="[" * 5000)["result"]
    check(deep["structuredContent"]["status"] == 1, "a deep recipe")
    check(client.ask("ping")["result"] == {}, "the server after hostile input")
    check(client.close() == 0, "the exit status after hostile input")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
        for name, text in (("recipe.yaml", RECIPE), ("schedule.yaml", SCHEDULE), ("copy.yaml", SCHEDULE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(outside, "secret.yaml"), "w", encoding="utf-8") as file:
            file.write(RECIPE)
        os.symlink(os.path.join(outside, "secret.yaml"), os.path.join(folder, "link.yaml"))
        os.symlink(outside, os.path.join(folder, "out"))
        before = sorted(os.listdir(folder))
        check_negotiation(program, folder)
        client, _ = start(program, folder)
        for part in (check_tools, check_calls, check_errors, check_resources, check_many):
            part(client)
        check(client.close() == 0, "the exit status")
        check_hostile(program, folder)
        check(sorted(os.listdir(folder)) == before, "the server writes files")
    print("\n".join(FAILURES) or "all answers are right")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
