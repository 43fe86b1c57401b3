// Tests `sparsecfg lsp` with the LSP client library of VS Code.
//
//   node test.js [sparsecfg]
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const protocol = require("vscode-languageserver-protocol/node");

const uri = "file:///nowhere/recipe.yaml";
const text = `num_epochs: 4.0
modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoc: eval(num_epochs)
`;
const at = (line, character) => ({ textDocument: { uri }, position: { line, character } });

async function main() {
  const server = spawn(process.argv[2] ?? "sparsecfg", ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => server.on("exit", resolve));
  const connection = protocol.createProtocolConnection(server.stdout, server.stdin);
  const published = [];
  let wake = () => {};
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (each) => {
    published.push(each);
    wake();
  });
  connection.onRequest(protocol.RegistrationRequest.type, () => {});
  connection.listen();
  const findings = async (version) => {
    while (!published.some((each) => each.version === version)) await new Promise((resolve) => (wake = resolve));
    return published.find((each) => each.version === version).diagnostics;
  };

  const capabilities = {
    workspace: { didChangeWatchedFiles: { dynamicRegistration: true } },
    textDocument: { completion: { completionItem: { snippetSupport: true } } },
  };
  const params = { processId: process.pid, rootUri: null, capabilities, workspaceFolders: null };
  const started = await connection.sendRequest(protocol.InitializeRequest.type, params);
  assert.equal(started.capabilities.textDocumentSync.change, protocol.TextDocumentSyncKind.Incremental);
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  const document = { uri, languageId: "yaml", version: 1, text };
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: document });
  const misspelt = (await findings(1)).find((each) => each.code === "SP105");
  assert.deepEqual(misspelt.range.start, { line: 4, character: 2 });

  const context = { diagnostics: [misspelt], only: [protocol.CodeActionKind.QuickFix] };
  const actions = await connection.sendRequest(protocol.CodeActionRequest.type,
                                               { textDocument: { uri }, range: misspelt.range, context });
  const [edit] = actions.find((each) => each.title.startsWith("Replace `end_epoc` with `end_epoch`")).edit.changes[uri];
  assert(actions.some((each) => each.title === "Ignore SP105 on this line"));
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 }, contentChanges: [{ range: edit.range, text: edit.newText }] });
  assert.deepEqual((await findings(2)).filter((each) => each.severity < 4), []);

  const hover = await connection.sendRequest(protocol.HoverRequest.type, at(2, 6));
  assert.match(hover.contents.value, /EpochRangeModifier/);
  const completion = await connection.sendRequest(protocol.CompletionRequest.type, at(2, 4));
  assert(completion.items.some((each) => each.label === "GMPruningModifier"));
  const definition = await connection.sendRequest(protocol.DefinitionRequest.type, at(4, 20));
  assert.equal(definition.range.start.line, 0);
  const renamed = await connection.sendRequest(protocol.RenameRequest.type, { ...at(0, 3), newName: "epochs" });
  assert.equal(renamed.changes[uri].length, 2);
  const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri } });
  assert.deepEqual(symbols.map((each) => each.name), ["num_epochs", "modifiers"]);
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await connection.sendRequest(protocol.DocumentFormattingRequest.type, { textDocument: { uri }, options });
  assert.deepEqual(edits, []);
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = await connection.sendRequest(protocol.InlayHintRequest.type, { textDocument: { uri }, range });
  assert.deepEqual(hints.map((each) => each.label), ["= 4.0"]);
  await assert.rejects(connection.sendRequest("no/such/method", {}), { code: protocol.ErrorCodes.MethodNotFound });

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await exited, 0);
  console.log("passed");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
