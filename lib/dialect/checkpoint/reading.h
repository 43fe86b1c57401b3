#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/checkpoint/modules.h"
#include "dialect/checkpoint/table.h"
#include "ir/scheme.h"
#include "model/selectors/assign.h"
#include "model/selectors/entries.h"

// What one program reads in a config.
namespace sparsecfg::dialect::checkpoint {

using selectors::Entry;
using selectors::Format;

// A list that the program reads, and its entries.
struct EntryList {
  selectors::Reader reader;                   // of the table, adapted to the config and the model
  std::optional<std::vector<Entry>> entries;  // nullopt: the config has no such key
  bool from_tensors = false;                  // true if the entries are stored modules
};

// Why a program rejects a config.
struct Refusal {
  enum class Reason : std::uint8_t {
    no_method,
    unknown_method,
    deprecated,  // the program needs an option for the method
    value,       // `check` rejects it
    list,        // `rejection`
    format,      // the program has no code for the format of an entry
  };
  Reason reason;
  const ValueCheck* check = nullptr;
  std::optional<selectors::Rejection> rejection{};
  const selectors::Reader* reader = nullptr;  // of the rejected list
};

// The decision about one unit.
struct UnitDecision {
  Format format = selectors::kUnquantized;
  selectors::Decision::Why why = selectors::Decision::Why::absent_entry;
  std::optional<std::uint32_t> by{};        // index into Reading::all_entries
  std::vector<std::uint32_t> overridden{};  // likewise
};

struct Reading {
  Program program = Program::transformers;
  const Loading* loading = nullptr;  // null: the loading is not known
  const Method* method = nullptr;
  bool ignored = false;  // the program ignores the config: nothing is quantized
  std::optional<Refusal> refusal{};
  std::shared_ptr<const Units> units = std::make_shared<Units>();
  std::vector<EntryList> lists{};
  std::vector<const Entry*> all_entries{};           // of all lists, in their order
  std::vector<std::optional<ir::Scheme>> formats{};  // by number of Format; index 1: the default
  std::vector<UnitDecision> decisions{};             // one per unit; empty if the model is unknown or rejected
  std::vector<std::vector<bool>> matched{};          // by list and entry, for known models
  bool complete = true;                              // false if patterns are too slow

  // Returns true if the outcome of the program is known.
  [[nodiscard]] bool known() const { return (loading != nullptr || ignored) && !refusal; }

  [[nodiscard]] bool quantizes(std::size_t unit) const {
    return !decisions.empty() && decisions[unit].format != selectors::kUnquantized;
  }
};

// The parts of the file and the model that all programs read.
struct Input {
  const Value& config;                                  // the mapping of the quantization
  std::optional<std::string_view> method{};             // `quant_method`; nullopt: absent or not a string
  std::string_view architecture{};                      // class of the model; empty: unknown
  const std::vector<model::Module>* modules = nullptr;  // null: unknown
  const StoredModules* stored = nullptr;                // null: unknown
  bool constructed = false;                             // true for a class of transformers in a script
  source::Located<std::string> type{};                  // of the parameters, "bfloat16"; empty: unknown
};

// Returns the name of the method as a program looks it up.
[[nodiscard]] std::string method_name(Program program, const Input& input);

// Reads a config as a program does. The input must outlive the result.
[[nodiscard]] Reading read_as(Program program, const Input& input, SharedUnits& units);

}  // namespace sparsecfg::dialect::checkpoint
