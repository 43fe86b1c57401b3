#include "cases.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <variant>

#include "source/load.h"

namespace sparsecfg::golden {

namespace fs = std::filesystem;

const char* testdata() { return SPARSECFG_TESTDATA; }

void set_up_environment() {
  for (const char* name : {"COLUMNS", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"}) {
    ::unsetenv(name);
  }
  ::setenv("NO_COLOR", "1", 1);
  fs::current_path(testdata());
}

bool may_record() {
  const char* ci = std::getenv("CI");
  const bool recording = ci == nullptr || *ci == '\0';
  if (!recording) std::cerr << "outputs are recorded by people who read them, not where CI is set\n";
  return recording;
}

std::string Case::name() const {
  std::string out = folder + "/" + stem;
  std::ranges::replace(out, '/', '.');
  return out;
}

constexpr std::array<std::string_view, 9> kRecipes = {".yaml", ".yml",   ".md", ".mdx", ".json",
                                                      ".py",   ".ipynb", ".sh", ".txt"};

static bool is_recipe(const fs::path& path) {
  return std::ranges::find(kRecipes, path.extension().native()) != kRecipes.end();
}

// Folders of files that a case reads besides its recipe. They contain no cases.
constexpr std::array<std::string_view, 5> kNeeded = {"after", "models", "names", "next", "truth"};

static bool is_needed_folder(const fs::path& path) {
  return std::ranges::find(kNeeded, path.filename().native()) != kNeeded.end();
}

// The files at testdata/<command>/<dialect>/ and in the folders below, relative to testdata.
static std::vector<fs::path> files() {
  std::vector<fs::path> out;
  const fs::path root = testdata();
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    if (at->is_directory() && is_needed_folder(at->path())) at.disable_recursion_pending();
    if (at.depth() >= 2 && at->is_regular_file()) out.push_back(at->path().lexically_relative(root));
  }
  std::ranges::sort(out);
  return out;
}

static Case case_at(const fs::path& path) {
  const fs::path command = *path.begin();
  const fs::path dialect = command / *std::next(path.begin());
  return {command.native(), dialect.native(), path.parent_path().native(), path.stem().native(), path.native()};
}

std::vector<Case> find_cases() {
  std::vector<Case> cases;
  for (const fs::path& path : files()) {
    if (is_recipe(path)) {
      cases.push_back(case_at(path));
    }
  }
  return cases;
}

std::vector<std::string> misplaced_files() {
  std::set<std::string> names;
  std::vector<std::string> out;
  for (const Case& each : find_cases()) {
    if (!names.insert(each.sidecar("")).second) {
      out.push_back(each.path);
    }
  }
  for (const fs::path& path : files()) {
    const bool pins = path.filename() == "pyproject.toml";  // of a project, for the cases beside it
    if (!is_recipe(path) && !pins && !names.contains((path.parent_path() / path.stem()).native())) {
      out.push_back(path.native());
    }
  }
  return out;
}

std::string read_or_empty(const std::string& path) {
  const auto loaded = source::read_file(path, std::numeric_limits<std::size_t>::max() / 2);
  const auto* text = std::get_if<std::string>(&loaded);
  return text != nullptr ? *text : "";
}

}  // namespace sparsecfg::golden
