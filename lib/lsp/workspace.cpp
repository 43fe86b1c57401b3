#include "lsp/workspace.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "compile/model.h"

namespace sparsecfg::lsp {

constexpr std::string_view kSettingsFile = ".sparsecfg.yaml";

bool is_settings(const std::string& path) { return std::filesystem::path(path).filename() == kSettingsFile; }

const Json& settings_schema() {
  static const Json kSchema = Json::parse(project::settings_schema());
  return kSchema;
}

static std::unique_ptr<project::Project> new_project() {
  project::Request request;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  request.models = {.steps = kNone, .bytes = kNone};
  request.weights = kNone;
  return std::make_unique<project::Project>(std::move(request));
}

Workspace::Workspace() : project_(new_project()) {}

// Returns a file name for an unsaved document, with the usual extension of its language.
static std::string name_of(const std::string& uri, const std::string& language) {
  const std::string path = path_of(uri);
  if (!path.empty()) return path;
  if (language == "markdown") return "recipe.md";
  if (language == "json") return "recipe.json";
  return language == "python" ? "recipe.py" : "recipe.yaml";
}

void Workspace::open(const std::string& uri, const std::string& language, std::optional<std::int64_t> version,
                     std::string text) {
  documents_.erase(uri);
  const auto [place, added] = documents_.try_emplace(uri, uri, name_of(uri, language), std::move(text));
  place->second.version = version;
  mark_changed(uri);
}

void Workspace::change(const std::string& uri, std::optional<std::int64_t> version, const Json& changes) {
  Document& document = find(uri);
  for (const Json& change : changes) {
    const auto& text = change.at("text").get_ref<const std::string&>();
    if (change.contains("range")) {
      document.replace(read_range(change.at("range")), text);
    } else {
      document.replace_all(text);
    }
  }
  document.version = version;
  mark_changed(uri);
}

void Workspace::close(const std::string& uri) {
  documents_.erase(uri);
  with_model_.erase(uri);
  mark_changed(uri);
}

void Workspace::reload() {
  project_ = new_project();
  schemas_.clear();
  with_model_.clear();
  for (auto& [uri, document] : documents_) {
    document.forget();
    mark_changed(uri);
  }
}

Document& Workspace::find(const std::string& uri) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) {
    throw RequestError{ErrorCode::invalid_params, "the document is not open: " + uri};
  }
  return found->second;
}

Document& Workspace::document(const std::string& uri) {
  Document& document = find(uri);
  document.read(given_options_of(document).compile);
  return document;
}

Document& Workspace::document_while_typing(const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  Document& found = find(uri);
  return found.text().size() > limits::kMaxExcerpt && found.reading() != nullptr ? found : document(uri);
}

const project::FileOptions& Workspace::given_options_of(const Document& document) {
  const bool is_file = !path_of(document.uri()).empty();
  auto options = is_file ? project_->options_of(document.path()) : project_->options_without_settings();
  if (std::holds_alternative<project::Problem>(options)) {
    options = project_->options_without_settings();
  }
  return *std::get<const project::FileOptions*>(options);
}

const project::FileOptions& Workspace::options_of(const Document& document) {
  const project::FileOptions& given = given_options_of(document);
  const Reading* reading = document.reading();
  if (reading == nullptr || reading->compilation.model == nullptr) {
    return given;
  }
  project::FileOptions& own = with_model_[document.uri()];
  own = given;
  use_model_of(reading->compilation, own.compile);
  return own;
}

std::optional<project::Problem> Workspace::problem_of(const Document& document) {
  if (path_of(document.uri()).empty()) return std::nullopt;
  const auto options = project_->options_of(document.path());
  const auto* problem = std::get_if<project::Problem>(&options);
  return problem == nullptr ? std::nullopt : std::optional(*problem);
}

bool Workspace::is_excluded(const Document& document) {
  return !path_of(document.uri()).empty() && project_->excludes(document.path(), false);
}

std::vector<diag::Diagnostic> Workspace::findings_of(const Document& document) {
  if (is_excluded(document) || is_settings(document.path())) {
    return {};
  }
  std::vector<diag::Diagnostic> findings = document.findings();
  const project::FileOptions& options = options_of(document);
  if (options.baseline == nullptr) {
    options.settings.levels.apply(findings);
  } else {
    options.filter(source::SourceFile(document.path(), document.text().bytes()), findings);
  }
  return findings;
}

const Json& Workspace::schema_of(const dialect::Dialect& dialect, const Document& document) {
  const dialect::ReadOptions& read = options_of(document).compile.read;
  std::string key(dialect.name);
  for (const auto& [name, value] : read.reader_options) key += "," + std::string(name) + "=" + value;
  const auto found = schemas_.find(key);
  return found != schemas_.end() ? found->second
                                 : schemas_.emplace(key, Json::parse(dialect.schema(read))).first->second;
}

bool Workspace::has_large_change() const {
  return std::ranges::any_of(changed_, [&](const std::string& uri) {
    const auto found = documents_.find(uri);
    return found != documents_.end() && found->second.text().size() > limits::kMaxExcerpt;
  });
}

void Workspace::mark_changed(const std::string& uri) {
  if (std::ranges::find(changed_, uri) == changed_.end()) changed_.push_back(uri);
}

}  // namespace sparsecfg::lsp
