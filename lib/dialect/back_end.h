#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/operation.h"
#include "model/names.h"

// How a dialect of quantized models writes an outcome: a table of the schemes and methods that have the same meaning in
// other systems, and a function that writes groups of modules. `convert` computes the groups and proves the result.
namespace sparsecfg::dialect {

// Selects modules by their names, in terms that every selector language has.
struct NameSelector {
  std::string name{};    // the full name; empty: `inside` and `tail` apply
  std::string inside{};  // the name of a module around them; empty: any
  std::string tail{};    // the last parts of their names, without a first part; empty: any

  friend auto operator<=>(const NameSelector&, const NameSelector&) = default;
};

// Returns a regular expression that matches the selected names from their start to their end.
[[nodiscard]] std::string regex_of(const NameSelector& selector);
// Returns a glob that matches the selected names.
[[nodiscard]] std::string glob_of(const NameSelector& selector);

// Modules with the same scheme. The selectors match all of them, and no module of another group.
struct ModuleGroup {
  ir::Scheme scheme;  // empty: the modules keep their precision
  std::vector<NameSelector> selectors;
  bool linear = true;  // true if all modules are of the class `Linear`
};

// The effect of a recipe on a model, in the form that a back end writes.
struct GroupedOutcome {
  const std::vector<model::Module>& modules;
  std::vector<ModuleGroup> groups;            // quantized modules, the largest group first
  ModuleGroup plain;                          // linear layers that keep their precision
  std::optional<ir::TensorFormat> cache;      // keys and values of all attention modules; nullopt: not quantized
  std::string_view method;                    // in the words of the target
  std::vector<ir::MethodSetting> settings{};  // in the words of the target, without its defaults
};

// A set of formats of a tensor. Zero and nullopt allow any value.
struct FormatRow {
  ir::NumberType type = ir::NumberType::integer;
  std::int64_t min_bits = 8;
  std::int64_t max_bits = 8;
  ir::Granularity granularity = ir::Granularity::channel;
  std::int64_t group_size = 0;
  std::int64_t rows = 0;  // of blocks
  std::optional<bool> symmetric = true;
  ir::ScaleTime scales = ir::ScaleTime::fixed;
  std::string_view scale_type{};

  // Returns true if the row contains a format.
  [[nodiscard]] bool contains(const ir::TensorFormat& format) const;
};

// Schemes that mean the same in a system and in compressed-tensors.
struct SchemeRow {
  FormatRow weights;
  std::optional<FormatRow> inputs{};  // nullopt: inputs keep their precision
  std::string_view name{};            // of a preset of the system; may be empty
  // How values differ if a recipe computes them again. Empty: they do not differ.
  std::string_view difference{};
};

// A method under its own name and under the name that all dialects share.
struct MethodRow {
  std::string_view own;
  std::string_view shared;
};

// A setting of a method that another dialect may have under another name.
struct SettingRow {
  std::string_view own;
  std::string_view shared;     // empty: no other dialect has it, so only its default is exact
  std::string_view otherwise;  // the default, as it is written
  std::string_view method;     // the shared name of the method that has the setting
};

struct BackEnd {
  std::string_view file;                 // name for reading the output: "converted.yaml"
  std::span<const SchemeRow> schemes{};  // empty: every scheme with at most one format for each tensor
  std::span<const MethodRow> methods{};
  std::span<const SettingRow> settings{};
  // Fields of an action, and of mappings inside it, that do not change what a method computes, or that the outcome
  // contains.
  std::span<const std::string_view> known_fields{};
  // Fields of an action that have no effect on the outcome, such as the model itself.
  std::span<const std::string_view> run_fields{};
  // Known fields whose keys select modules.
  std::span<const std::string_view> maps{};
  std::optional<FormatRow> cache{};  // formats of the attention cache; nullopt: the system does not quantize it
  bool orders = false;               // true if columns can be quantized in the order of their activations
  bool is_result = false;            // true if the files of the system describe a quantized model
  bool settings_in_method = false;   // true if all settings of a method are written, so that none is a default
  // Of a saved model: what to do with its tensors so that programs read them as compressed-tensors. Empty: nothing
  // helps.
  std::string_view tensors{};
  std::string (*write)(const GroupedOutcome&) = nullptr;
  // Writes a new recipe for all layers that are usually quantized, of an outcome with one group. Null: not supported.
  std::string (*create)(const GroupedOutcome&) = nullptr;

  // Returns the row that contains a scheme, or null.
  [[nodiscard]] const SchemeRow* find(const ir::Scheme& scheme) const;
};

}  // namespace sparsecfg::dialect
