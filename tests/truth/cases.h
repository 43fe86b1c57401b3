#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace sparsecfg::truth {

using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

// One recorded case. `data` has the fields that testdata/truth/README.md describes.
struct Case {
  std::string framework;  // "sparseml", the name of the folder
  std::string id;
  Json data;

  [[nodiscard]] std::string name() const { return framework + "/" + id; }

  // The recipe file, relative to the folder of the framework.
  [[nodiscard]] std::string recipe() const { return "recipes/" + data.value("recipe", id + ".yaml"); }

  [[nodiscard]] bool has(const char* field) const { return data.contains(field); }

  // True if the framework loaded the recipe and ran it without an error.
  [[nodiscard]] bool accepted() const { return data.value("verdict", "") == "accept"; }
};

// The folder testdata/truth.
[[nodiscard]] std::string root();

// Returns the lines of a JSON Lines file; none if there is no such file. Throws if a line is not JSON.
[[nodiscard]] std::vector<Json> read_lines(const std::string& path);

// Returns the names of all frameworks, sorted.
[[nodiscard]] Strings frameworks();

// Returns the cases of a framework: those of cases.jsonl, and one for each line of match.jsonl.
[[nodiscard]] std::vector<Case> cases_of(const std::string& framework);

// Returns the codes that may be errors on a recipe that the framework accepts, because it silently drops a part.
[[nodiscard]] std::set<std::string> silent_losses();

}  // namespace sparsecfg::truth
