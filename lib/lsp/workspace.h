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

// The open documents and the settings that hold for them. The settings of a document are those of the nearest
// `.sparsecfg.yaml` above it, so it does not matter which folders the editor shows.
class Workspace {
 public:
  Workspace();

  void open(const std::string& uri, const std::string& language, std::optional<std::int64_t> version, std::string text);
  void change(const std::string& uri, std::optional<std::int64_t> version, const Json& changes);
  void close(const std::string& uri);

  // Reads all settings and lists of names again.
  void reload();

  // A document that is open, read as it is now. Throws RequestError if there is none.
  [[nodiscard]] Document& document(const std::string& uri);

  // The same for the parameters of a request.
  [[nodiscard]] Document& document(const Json& params) {
    return document(params.at("textDocument").at("uri").get<std::string>());
  }

  // The options of a document. They live until reload().
  [[nodiscard]] const project::FileOptions& options_of(const Document& document);

  // Returns the findings on a document that count, in the order of the text.
  [[nodiscard]] std::vector<diag::Diagnostic> findings_of(const Document& document);

  // What is wrong with the settings of a document; nullopt if nothing is.
  [[nodiscard]] std::optional<project::Problem> problem_of(const Document& document);

  // The JSON Schema of a dialect, as the options of a document choose it. Lives until the next call of reload().
  [[nodiscard]] const Json& schema_of(const dialect::Dialect& dialect, const Document& document);

  // The documents that were opened, changed, closed or whose settings changed since the last call, each once.
  [[nodiscard]] std::vector<std::string> take_changed() { return std::exchange(changed_, {}); }

  [[nodiscard]] bool is_open(const std::string& uri) const { return documents_.contains(uri); }

 private:
  [[nodiscard]] Document& find(const std::string& uri);
  void mark_changed(const std::string& uri);
  [[nodiscard]] bool is_excluded(const Document& document);

  std::unique_ptr<project::Project> project_;
  std::map<std::string, Document> documents_;  // by URI
  std::vector<std::string> changed_;
  std::map<std::string, Json> schemas_;  // by dialect and its options
};

// Returns true for a file of settings.
[[nodiscard]] bool is_settings(const std::string& path);

}  // namespace sparsecfg::lsp
