#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "outcome/outcome.h"
#include "source/source_file.h"

// Reports the rules of recipes for trained models with the modules that they decide.
namespace sparsecfg::match {

// An outcome with the names and the file that it belongs to.
struct NamedOutcome {
  const outcome::Outcome& outcome;
  const std::vector<model::Module>& names;
  const source::SourceFile& file;
  const std::vector<std::vector<std::string>>* joined = nullptr;  // the modules that each name joins; null: only itself
};

// Returns each rule with the number of names that it decides, then the names with their states, in the form of
// Matching::text().
[[nodiscard]] std::string text_of(const NamedOutcome& named, bool all);

// Returns the names with their states as a JSON object (format 1), for recipes without other selectors.
[[nodiscard]] std::string json_of(const NamedOutcome& named);

// Returns the rules that decide about one name, or about the layer that joins it; nullopt if there is no such name.
[[nodiscard]] std::optional<std::string> explain(const NamedOutcome& named, std::string_view name);

}  // namespace sparsecfg::match
