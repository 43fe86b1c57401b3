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
  std::span<const std::string_view> values{};  // the first one is the default; empty: any text

  [[nodiscard]] bool accepts(std::string_view value) const {
    return values.empty() || std::ranges::find(values, value) != values.end();
  }
};

// What the command line says about the reading of a recipe.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  std::shared_ptr<const std::vector<source::Module>> modules;    // --modules; null: unknown
  const ir::ModelNames* parameters = nullptr;                    // --params; null: unknown; must outlive the reading
  std::optional<double> epochs;                                  // --epochs
  std::optional<std::size_t> steps_per_epoch;                    // --steps-per-epoch
  bool detected = false;                                         // true if the dialect was detected from the content

  // Values of options of one dialect alone, by the option's name; the last one counts.
  std::vector<std::pair<std::string_view, std::string>> reader_options;

  // Returns the value that was given for an option; nullopt if none was.
  [[nodiscard]] std::optional<std::string_view> given(const ReaderOption& option) const {
    const auto found = std::find_if(reader_options.rbegin(), reader_options.rend(),
                                    [&](const auto& each) { return each.first == option.name; });
    return found == reader_options.rend() ? std::nullopt : std::optional<std::string_view>(found->second);
  }

  // Returns the place of that value among those of the option; 0, the default, if none was given.
  [[nodiscard]] std::size_t choice(const ReaderOption& option) const {
    const auto found = std::ranges::find(option.values, given(option).value_or(""));
    return found == option.values.end() ? 0 : static_cast<std::size_t>(found - option.values.begin());
  }
};

}  // namespace sparsecfg::dialect
