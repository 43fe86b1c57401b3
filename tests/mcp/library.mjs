// The same with the client library of the protocol, which also checks each result against the schema of its tool:
//
//   cd tests/mcp && npm install --no-save @modelcontextprotocol/sdk && node library.mjs <sparsecfg>
import assert from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const folder = mkdtempSync(join(tmpdir(), "mcp-"));
const recipe = "q_stage:\n  q_modifiers:\n    QuantizationModifier: {scheme: W4A16, targets: [Linear], ignore: [lm_hed]}\n";
writeFileSync(join(folder, "recipe.yaml"), recipe);
const transport = new StdioClientTransport({ command: resolve(process.argv[2]), args: ["mcp"], cwd: folder, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

const files = ["recipe.yaml"];
const calls = {
  validate: { files, model: "Qwen/Qwen3-8B" },
  explain: { topic: "LC802" },
  inspect: { files },
  match: { files, model: "Qwen/Qwen3-8B" },
  timeline: { files },
  diff: { files: [...files, ...files] },
  convert: { files, to: "ir" },
  create: { to: "llm-compressor", scheme: "AWQ" },
  models: {},
};
const { tools } = await client.listTools();
assert.deepStrictEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort());
for (const [name, given] of Object.entries(calls)) {
  const result = await client.callTool({ name, arguments: given });
  assert(!result.isError, name);
}
await assert.rejects(client.callTool({ name: "validate", arguments: { files: ["/etc/passwd"] } }), { code: -32602 });
const call = () => client.callTool({ name: "validate", arguments: { files } });
const many = await Promise.all(Array.from({ length: 100 }, call));
assert(many.every((result) => !result.isError));
const controller = new AbortController();
const cancelled = client.callTool({ name: "validate", arguments: { files } }, undefined, { signal: controller.signal });
controller.abort("no longer needed");
await assert.rejects(cancelled);
assert((await client.listResources()).resources.length > 0);
assert((await client.readResource({ uri: "sparsecfg://rules/LC802" })).contents[0].text.includes("LC802"));
await client.close();
rmSync(folder, { recursive: true });
