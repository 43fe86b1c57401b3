#include "source/search.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <variant>

#include "base/limits.h"
#include "base/text.h"
#include "source/ignore_rules.h"
#include "source/load.h"
#include "source/shell_words.h"

namespace sparsecfg::source {

namespace fs = std::filesystem;

static bool may_be_recipe(const fs::path& path) {
  static constexpr std::array<std::string_view, 7> kEnds = {".yaml", ".yml", ".md", ".mdx", ".json", ".py", ".ipynb"};
  return std::ranges::find(kEnds, base::to_lower(path.extension().native())) != kEnds.end() ||
         is_shell_file(path.native());
}

std::string repository_of(const std::string& folder) {
  std::error_code ignored;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) return at.native();
    if (at == at.parent_path()) break;
  }
  return "";
}

// Returns why a folder contains files of others, such as dependencies. Returns an empty string for other folders.
static std::string_view foreign_reason(const fs::path& folder) {
  std::error_code ignored;
  if (folder.filename().native().starts_with('.')) return "hidden folder";
  if (folder.filename() == "node_modules") return "dependencies";
  const bool virtual_environment =
      fs::exists(folder / "pyvenv.cfg", ignored) || fs::exists(folder / "conda-meta", ignored);
  return virtual_environment ? "virtual environment" : "";
}

namespace {

class Search {
 public:
  Search(const std::string& folder, const SearchOptions& options) : options_(options) {
    std::error_code error;
    root_ = fs::absolute(folder, error).lexically_normal();
    if (error) {
      found_.problems.push_back({folder, reason_of(error.value())});
      return;
    }
    if (!root_.has_filename()) root_ = root_.parent_path();
    if (options_.gitignore) {
      add_rules_above();
    }
  }

  SearchResult run(const std::string& folder) {
    if (found_.problems.empty()) enter(folder, root_, 0);
    std::ranges::sort(found_.files);
    std::ranges::sort(found_.problems, {}, &FoundFiles::Problem::path);
    std::ranges::sort(found_.skipped, {}, &FoundFiles::Problem::path);
    return std::move(found_);
  }

 private:
  // The rules of one folder; paths are relative to it.
  struct FolderRules {
    std::size_t prefix;
    IgnoreRules rules;
  };

  void add_rules(const fs::path& folder, const char* file) {
    const Loaded text = read_file((folder / file).native(), limits::kMaxSettingsBytes);
    if (const auto* lines = std::get_if<std::string>(&text)) {
      rules_.push_back({folder.native().size() + 1, IgnoreRules(*lines)});
    }
  }

  // Reads the ignore files from the repository root down to the parent of the searched folder.
  void add_rules_above() {
    const fs::path repository = repository_of(root_.native());
    if (repository.empty()) {
      return;
    }
    add_rules(repository, ".git/info/exclude");
    fs::path folder = repository;
    for (const fs::path& part : root_.lexically_relative(repository)) {
      if (part == ".") break;
      add_rules(folder, ".gitignore");
      folder /= part;
    }
  }

  // Returns the file that excludes a path, or an empty string.
  std::string_view excluded_by(const fs::path& absolute, const fs::path& shown, bool is_folder) const {
    if (options_.excludes && options_.excludes(shown.native(), is_folder)) {
      return ".sparsecfg.yaml";
    }
    for (auto each = rules_.rbegin(); each != rules_.rend(); ++each) {
      const auto path = std::string_view(absolute.native()).substr(std::min(each->prefix, absolute.native().size()));
      if (const auto ignored = each->rules.ignores(path, is_folder)) return *ignored ? ".gitignore" : "";
    }
    return "";
  }

  void enter(const fs::path& shown, const fs::path& absolute, int depth) {
    if (depth > limits::kMaxFolderDepth) {
      found_.problems.push_back({shown.native(), "nested more than 32 folders deep"});
      return;
    }
    const std::size_t rules = rules_.size();
    if (options_.gitignore) add_rules(absolute, ".gitignore");
    std::error_code error;
    fs::directory_iterator entries(absolute, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      visit(shown, absolute, *entries, depth);
    }
    if (error) {
      found_.problems.push_back({shown.native(), reason_of(error.value())});
    }
    rules_.resize(rules);
  }

  void visit(const fs::path& folder, const fs::path& absolute, const fs::directory_entry& entry, int depth) {
    std::error_code error;
    const fs::file_type type = entry.symlink_status(error).type();
    const fs::path name = entry.path().filename();
    if (name == ".sparsecfg.yaml") {
      return;  // settings, not a recipe
    }
    const fs::path shown = folder == "." ? name : folder / name;
    if (type == fs::file_type::directory) {
      visit_folder(shown, absolute / name, depth);
    } else if (type == fs::file_type::symlink) {
      visit_link(shown, entry);
    } else if (type == fs::file_type::regular && may_be_recipe(name) && !skips(absolute / name, shown, false)) {
      found_.files.push_back(shown.native());
    }
  }

  void visit_folder(const fs::path& shown, const fs::path& absolute, int depth) {
    const std::string_view foreign = foreign_reason(absolute);
    if (!foreign.empty()) {
      if (absolute.filename() != ".git") skip(shown.native() + "/", std::string(foreign));
    } else if (!skips(absolute, shown, true)) {
      enter(shown, absolute, depth + 1);
    }
  }

  void visit_link(const fs::path& shown, const fs::directory_entry& entry) {
    std::error_code ignored;
    const bool is_folder = entry.is_directory(ignored);
    if (is_folder || may_be_recipe(shown)) skip(shown.native() + (is_folder ? "/" : ""), "symbolic link");
  }

  bool skips(const fs::path& absolute, const fs::path& shown, bool is_folder) {
    const std::string_view by = excluded_by(absolute, shown, is_folder);
    if (!by.empty()) skip(shown.native() + (is_folder ? "/" : ""), std::string("excluded by ").append(by));
    return !by.empty();
  }

  void skip(std::string path, std::string reason) { found_.skipped.push_back({std::move(path), std::move(reason)}); }

  const SearchOptions& options_;
  fs::path root_;
  std::vector<FolderRules> rules_;
  SearchResult found_;
};

}  // namespace

FoundFiles find_recipes(const std::string& folder) { return find_recipes(folder, {}); }

FoundFiles find_recipes(const std::string& folder, const SearchOptions& options) {
  return search_recipes(folder, options);
}

SearchResult search_recipes(const std::string& folder, const SearchOptions& options) {
  return Search(folder, options).run(folder);
}

}  // namespace sparsecfg::source
