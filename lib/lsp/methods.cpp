#include <algorithm>

#include "base/version.h"
#include "lsp/features.h"
#include "lsp/server.h"

namespace sparsecfg::lsp {

static Json capabilities() {
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
          {"hoverProvider", true},
          {"completionProvider", {{"triggerCharacters", {"!", ":", " ", "*", "("}}}},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll.sparsecfg"}}}},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"documentSymbolProvider", true},
          {"documentFormattingProvider", true},
          {"inlayHintProvider", true},
          {"foldingRangeProvider", true},
          {"documentHighlightProvider", true},
          {"documentLinkProvider", {{"resolveProvider", false}}},
          {"diagnosticProvider", {{"interFileDependencies", false}, {"workspaceDiagnostics", false}}},
          {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

Json Server::initialize(const Json& params) {
  const Json::json_pointer can_watch("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
  watches_files_ = params.contains(can_watch) && params.at(can_watch) == true;
  const Json::json_pointer snippets("/capabilities/textDocument/completion/completionItem/snippetSupport");
  workspace_.accepts_snippets = params.contains(snippets) && params.at(snippets) == true;
  const Json::json_pointer pulls("/capabilities/textDocument/diagnostic");
  pulls_ = params.contains(pulls) && params.at(pulls).is_object();
  state_ = State::initialized;
  return {{"capabilities", capabilities()},
          {"serverInfo", {{"name", "sparsecfg"}, {"version", std::string(base::version())}}}};
}

// Asks the editor to watch config files, because other programs can change them.
Json Server::initialized() {
  if (!watches_files_) {
    return {};
  }
  const Json watchers = Json::array({{{"globPattern", "**/.sparsecfg.yaml"}}});
  const Json registration = {
      {"id", "settings"}, {"method", "workspace/didChangeWatchedFiles"}, {"registerOptions", {{"watchers", watchers}}}};
  peer_.send({{"id", "register-settings"},
              {"method", "client/registerCapability"},
              {"params", {{"registrations", Json::array({registration})}}}});
  return {};
}

Json Server::shut_down() {
  state_ = State::shut_down;
  return {};
}

static std::string uri_of(const Json& params) { return params.at("textDocument").at("uri").get<std::string>(); }

static std::optional<std::int64_t> version_of(const Json& params) {
  const Json version = params.at("textDocument").value("version", Json());
  return version.is_number_integer() ? std::optional(version.get<std::int64_t>()) : std::nullopt;
}

static Json open(Workspace& workspace, const Json& params) {
  const Json& document = params.at("textDocument");
  workspace.open(uri_of(params), document.value("languageId", ""), version_of(params),
                 document.at("text").get<std::string>());
  return {};
}

static Json change(Workspace& workspace, const Json& params) {
  workspace.change(uri_of(params), version_of(params), params.at("contentChanges"));
  return {};
}

static Json save(Workspace& workspace, const Json& params) {
  if (is_settings(path_of(uri_of(params)))) workspace.reload();
  return {};
}

static Json close(Workspace& workspace, const Json& params) {
  workspace.close(uri_of(params));
  return {};
}

static Json reload(Workspace& workspace) {
  workspace.reload();
  return {};
}

const Server::Method* Server::find_method(std::string_view name, bool is_request) {
  static constexpr Method kMethods[] = {
      {"initialize", [](Server& server, const Json& params) { return server.initialize(params); }},
      {"shutdown", [](Server& server, const Json&) { return server.shut_down(); }},
      {"textDocument/hover", [](Server& server, const Json& params) { return hover(server.workspace_, params); }},
      {"textDocument/completion",
       [](Server& server, const Json& params) { return completion(server.workspace_, params); }},
      {"textDocument/codeAction",
       [](Server& server, const Json& params) { return code_actions(server.workspace_, params); }},
      {"textDocument/definition",
       [](Server& server, const Json& params) { return definition(server.workspace_, params); }},
      {"textDocument/references",
       [](Server& server, const Json& params) { return references(server.workspace_, params); }},
      {"textDocument/prepareRename",
       [](Server& server, const Json& params) { return prepare_rename(server.workspace_, params); }},
      {"textDocument/rename", [](Server& server, const Json& params) { return rename(server.workspace_, params); }},
      {"textDocument/documentSymbol",
       [](Server& server, const Json& params) { return document_symbols(server.workspace_, params); }},
      {"textDocument/formatting",
       [](Server& server, const Json& params) { return formatting(server.workspace_, params); }},
      {"textDocument/inlayHint",
       [](Server& server, const Json& params) { return inlay_hints(server.workspace_, params); }},
      {"textDocument/foldingRange",
       [](Server& server, const Json& params) { return folding_ranges(server.workspace_, params); }},
      {"textDocument/documentHighlight",
       [](Server& server, const Json& params) { return highlights(server.workspace_, params); }},
      {"textDocument/documentLink",
       [](Server& server, const Json& params) { return document_links(server.workspace_, params); }},
      {"textDocument/diagnostic",
       [](Server& server, const Json& params) { return pulled_diagnostics(server.workspace_, params); }},
      {"initialized", [](Server& server, const Json&) { return server.initialized(); }, false},
      {"textDocument/didOpen", [](Server& server, const Json& params) { return open(server.workspace_, params); },
       false},
      {"textDocument/didChange", [](Server& server, const Json& params) { return change(server.workspace_, params); },
       false},
      {"textDocument/didSave", [](Server& server, const Json& params) { return save(server.workspace_, params); },
       false},
      {"textDocument/didClose", [](Server& server, const Json& params) { return close(server.workspace_, params); },
       false},
      {"workspace/didChangeWatchedFiles", [](Server& server, const Json&) { return reload(server.workspace_); }, false},
  };
  const auto* found = std::ranges::find_if(
      kMethods, [&](const Method& each) { return each.name == name && each.is_request == is_request; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace sparsecfg::lsp
