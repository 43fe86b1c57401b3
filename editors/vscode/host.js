// Runs the built extension in a small stand-in for VS Code: activates it, opens a recipe with a mistake, waits for the
// findings, asks for a completion as VS Code does, and deactivates it. Needs `npm run build`.
//
//   node host.js [sparsecfg]
const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(start, end) { Object.assign(this, { start, end }); }
}
class Uri {
  constructor(text) { this.text = text; this.scheme = text.split(":")[0]; this.fsPath = text.replace("file://", ""); this.path = this.fsPath; }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
  static file(name) { return new Uri(`file://${name}`); }
}
class EventEmitter {
  constructor() { this.listeners = new Set(); this.event = (listener, self) => { const bound = listener.bind(self); this.listeners.add(bound); return { dispose: () => this.listeners.delete(bound) }; }; }
  fire(value) { for (const each of this.listeners) each(value); }
  dispose() { this.listeners.clear(); }
}
class Disposable {
  constructor(call) { this.dispose = call ?? (() => {}); }
}
class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel() {}
  dispose() {}
}
class Kind {
  constructor(value) { this.value = value; }
  append(part) { return new Kind(`${this.value}.${part}`); }
}

const text = "modifiers:\n  - !EpochRangeModifier\n    start_epoch: 0.0\n    end_epoc: 4.0\n";
const document = {
  uri: new Uri("file:///nowhere/recipe.yaml"), languageId: "yaml", version: 1, isClosed: false, isDirty: false,
  fileName: "/nowhere/recipe.yaml", getText: () => text, lineCount: 5,
};
const published = new EventEmitter();
const providers = {};
const errors = [];
const never = () => new Disposable();
const settings = { get: (name, fallback) => (name === "path" ? (process.argv[2] ?? "sparsecfg") : fallback), has: () => false };
const channel = { append() {}, appendLine() {}, show() {}, dispose() {}, clear() {}, trace() {}, info() {}, warn() {}, error(message) { errors.push(message); } };

// Returns namespaces whose unknown members are events and registrations without effect.
const namespace = (known) => new Proxy(known, { get: (all, name) => (name in all ? all[name] : never) });
const vscode = new Proxy({
  Position, Range, Uri, EventEmitter, Disposable, CancellationTokenSource, version: "1.82.0",
  CodeActionKind: { Empty: new Kind(""), QuickFix: new Kind("quickfix"), Refactor: new Kind("refactor"), Source: new Kind("source") },
  CompletionItemTag: { Deprecated: 1 }, SymbolTag: { Deprecated: 1 }, DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, CompletionItemKind: { Text: 0, Color: 15 },
  env: { language: "en", appName: "stand-in", clipboard: {}, uriScheme: "vscode" },
  commands: namespace({ executeCommand: async () => undefined }),
  extensions: namespace({ all: [] }),
  workspace: namespace({
    textDocuments: [document], notebookDocuments: [], workspaceFolders: undefined, name: undefined,
    getConfiguration: () => settings,
  }),
  window: namespace({
    visibleTextEditors: [{ document }], activeTextEditor: { document }, tabGroups: namespace({ all: [] }),
    createOutputChannel: () => channel, showErrorMessage: async (message) => { errors.push(message); },
  }),
  languages: namespace({
    match: (selector, { uri, languageId }) => selector.some?.((each) => each.scheme === uri.scheme && each.language === languageId) ?? 1,
    createDiagnosticCollection: () => ({ set: (uri, findings) => published.fire(findings), delete() {}, clear() {}, dispose() {}, has: () => false, get: () => [] }),
    registerCompletionItemProvider: (selector, provider) => { providers.completion = provider; return new Disposable(); },
    registerHoverProvider: (selector, provider) => { providers.hover = provider; return new Disposable(); },
  }),
}, { get: (all, name) => { if (!(name in all)) all[name] = class { constructor(...values) { Object.assign(this, { values }); } }; return all[name]; } });

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require(path.join(__dirname, "dist", "extension.js"));

async function main() {
  const findings = new Promise((resolve) => published.event(resolve));
  await extension.activate({ subscriptions: [], extensionPath: __dirname });
  assert.deepEqual(errors, []);
  const codes = (await findings).map((each) => each.code?.value ?? each.code);
  assert(codes.includes("SP105"), `findings: ${codes}`);
  const token = { isCancellationRequested: false, onCancellationRequested: never };
  const answer = await providers.completion.provideCompletionItems(document, new Position(1, 5), token, { triggerKind: 0 });
  const labels = answer.values[0].map((item) => item.values[0]);
  assert(labels.includes("GMPruningModifier"), `completions: ${labels}`);
  await extension.deactivate();
  assert.deepEqual(errors, []);
  console.log("passed");
  process.exit(0);
}

setTimeout(() => { console.error("no answer within 20 seconds", errors); process.exit(1); }, 20000).unref();
main().catch((error) => {
  console.error(error, errors);
  process.exit(1);
});
