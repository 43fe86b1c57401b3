#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/names.h"
#include "source/value.h"

namespace sparsecfg::model {
class FolderWeights;
class ModelNames;
}  // namespace sparsecfg::model

namespace sparsecfg::dialect {

class CustomClasses;

// A reader option of one dialect, for the command line (`--nni 2.x`) and config files (`nni: 2.x`).
struct ReaderOption {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> values{};  // the first one is the default; empty: any string
  bool selects_part = false;                   // true if the rest of the recipe is not read
  std::string_view marker = {};                // a file in a parent folder that selects `marked`; empty: none does
  std::string_view marked = {};
  std::uint64_t max = 0;     // greatest whole number that the option accepts, from 1; 0: the value is no number
  bool only_checks = false;  // true if the option selects checks, and does not change how a recipe is read
  std::string_view needs{};  // another option without which this one has no effect; empty: none

  // Returns the number of a value from 1 to `max`, or nullopt.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view value) const {
    std::uint64_t read = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    return whole && read >= 1 && read <= max ? std::optional(read) : std::nullopt;
  }

  [[nodiscard]] bool accepts(std::string_view value) const {
    if (max > 0) return number(value).has_value();
    return values.empty() || std::ranges::find(values, value) != values.end();
  }
};

// Command-line options that affect how a recipe is read.
struct ReadOptions {
  std::vector<std::pair<std::string, source::Value>> variables;  // --set
  std::shared_ptr<const std::vector<model::Module>> modules;     // --modules; null: unknown
  std::shared_ptr<const std::vector<std::string>> stored_names;  // of the modules in checkpoints; null: the same names
  const model::ModelNames* parameters = nullptr;                 // --params; null: unknown; must outlive the read
  std::string tied_layer;    // of the model, which shares the weight of another layer; empty: none or unknown
  std::string loaded_model;  // id of the model that a script loads with the recipe; empty: none or unknown
  std::optional<std::uint64_t> experts_per_token;  // that a router of the model selects; nullopt: unknown
  std::uint64_t expert_weights = 0;                // in the routed experts of the model; 0: none or unknown
  std::optional<double> epochs;                    // --epochs
  std::optional<std::size_t> steps_per_epoch;      // --steps-per-epoch
  std::optional<std::size_t> parameter_groups;     // --parameter-groups
  std::optional<double> qat_start;                 // epoch at which --qat-policy starts QAT
  std::optional<double> last_drop;  // epoch of the last milestone in the schedule that runs with a QAT policy
  bool without_qat = false;         // true if a command disables QAT
  std::shared_ptr<model::FolderWeights> folder_weights;  // weights that were read before; null: none are kept
  bool detected = false;                                 // true if the dialect was detected from the content
  std::shared_ptr<const CustomClasses> custom;           // classes of the project, or null
  bool before_transformers_5 = false;                    // true if the project requires such a release of transformers

  // Values of dialect-specific options by option name; the last value of an option applies.
  std::vector<std::pair<std::string_view, std::string>> reader_options;

  // Returns the value of an option, or nullopt if the option is not set.
  [[nodiscard]] std::optional<std::string_view> given(const ReaderOption& option) const {
    const auto found = std::find_if(reader_options.rbegin(), reader_options.rend(),
                                    [&](const auto& each) { return each.first == option.name; });
    return found == reader_options.rend() ? std::nullopt : std::optional<std::string_view>(found->second);
  }

  // Returns the index of the value of an option in `option.values`, or 0 (the default) if the option is not set.
  [[nodiscard]] std::size_t choice(const ReaderOption& option) const {
    const auto found = std::ranges::find(option.values, given(option).value_or(""));
    return found == option.values.end() ? 0 : static_cast<std::size_t>(found - option.values.begin());
  }
};

}  // namespace sparsecfg::dialect
