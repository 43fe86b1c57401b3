#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/document.h"
#include "lsp/protocol.h"
#include "project/project.h"

namespace sparsecfg::lsp {

// The open documents and their settings. The settings of a document come from the nearest `.sparsecfg.yaml` in its
// folder or a parent folder, regardless of the folders that are open in the editor.
class Workspace {
 public:
  Workspace();

  void open(const std::string& uri, const std::string& language, std::optional<std::int64_t> version, std::string text);
  void change(const std::string& uri, std::optional<std::int64_t> version, const Json& changes);
  void close(const std::string& uri);

  // True if the editor inserts texts with places to fill in.
  bool accepts_snippets = false;

  // Discards all settings and model names, so that they are read again.
  void reload();

  // Returns an open document after compiling its current text. Throws RequestError if it is not open.
  [[nodiscard]] Document& document(const std::string& uri);

  // Returns the document of a request.
  [[nodiscard]] Document& document(const Json& params) {
    return document(params.at("textDocument").at("uri").get<std::string>());
  }

  // Returns the document of a request without compiling a large text that was changed since the last reading, so that
  // the answer does not wait for it.
  [[nodiscard]] Document& document_while_typing(const Json& params);

  // Returns the options of a document, with the names of the model of its last reading. The reference is valid until
  // reload() or close().
  [[nodiscard]] const project::FileOptions& options_of(const Document& document);

  // Returns the findings in a document that are not excluded, in the order of the text.
  [[nodiscard]] std::vector<diag::Diagnostic> findings_of(const Document& document);

  // Returns the problem of the settings of a document, or nullopt if they are valid.
  [[nodiscard]] std::optional<project::Problem> problem_of(const Document& document);

  // Returns the JSON Schema of a dialect for the options of a document. The reference is valid until reload().
  [[nodiscard]] const Json& schema_of(const dialect::Dialect& dialect, const Document& document);

  // Returns the URIs of documents that were opened, changed or closed, or whose settings changed, since the last call.
  [[nodiscard]] std::vector<std::string> take_changed() { return std::exchange(changed_, {}); }

  // Returns true if a large document was changed since the last call of take_changed().
  [[nodiscard]] bool has_large_change() const;

  [[nodiscard]] bool is_open(const std::string& uri) const { return documents_.contains(uri); }

 private:
  [[nodiscard]] Document& find(const std::string& uri);
  void mark_changed(const std::string& uri);
  [[nodiscard]] const project::FileOptions& given_options_of(const Document& document);
  [[nodiscard]] bool is_excluded(const Document& document);

  std::unique_ptr<project::Project> project_;
  std::map<std::string, Document> documents_;  // by URI
  std::vector<std::string> changed_;
  std::map<std::string, project::FileOptions> with_model_;  // by URI
  std::map<std::string, Json> schemas_;                     // by dialect and its options
};

// Returns true for a config file.
[[nodiscard]] bool is_settings(const std::string& path);

// Returns the JSON Schema of a config file.
[[nodiscard]] const Json& settings_schema();

}  // namespace sparsecfg::lsp
