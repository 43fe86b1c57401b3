#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/names.h"
#include "source/value.h"

namespace sparsecfg::ir {
class ModelNames;
}

namespace sparsecfg::dialect {

// An option that one dialect's reader has of its own, on the command line (`--nni 2.x`) and in settings (`nni: 2.x`).
struct ReaderOption {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> values;  // the first one is the default
};

// What the command line says about the reading of a recipe.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  std::shared_ptr<const std::vector<source::Module>> modules;    // --modules; null: unknown
  const ir::ModelNames* parameters = nullptr;                    // --params; null: unknown; must outlive the reading
  std::optional<double> epochs;                                  // --epochs
  std::optional<std::size_t> steps_per_epoch;                    // --steps-per-epoch

  // By option of one dialect alone the place of its value in ReaderOption::values; the last one counts.
  std::vector<std::pair<std::string_view, std::size_t>> choices;

  // Returns the place of the value that was chosen; 0, the default, if none was.
  [[nodiscard]] std::size_t choice(const ReaderOption& option) const {
    const auto found = std::ranges::find(choices.rbegin(), choices.rend(), option.name,
                                         &std::pair<std::string_view, std::size_t>::first);
    return found == choices.rend() ? 0 : found->second;
  }
};

}  // namespace sparsecfg::dialect
