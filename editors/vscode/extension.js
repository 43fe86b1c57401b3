// Starts `sparsecfg lsp` and connects VS Code to it. The server implements all features.
const { workspace, window } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["yaml", "json", "markdown", "python"];
const SCHEMES = ["file", "untitled"];

let client;

async function activate() {
  const command = workspace.getConfiguration("sparsecfg").get("path", "sparsecfg");
  const server = { command, args: ["lsp", "--stdio"] };
  const documentSelector = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));
  documentSelector.push({ scheme: "vscode-notebook-cell", language: "python" });
  client = new LanguageClient("sparsecfg", "sparsecfg", { run: server, debug: server }, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`sparsecfg: cannot start ${command}; set sparsecfg.path to the location of the program (${error})`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
