#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/objects.h"
#include "dialect/quantizers/calls.h"
#include "source/value.h"

// Configurations that a script constructs with classes of transformers, `BitsAndBytesConfig(load_in_4bit=True)`, or
// passes to `from_pretrained` as a dictionary.
namespace sparsecfg::dialect::checkpoint {

extern const Objects kObjects;

// A class with the `quant_method` that it writes.
struct ClassRow {
  std::string_view text;  // that starts a call of it
  std::span<const std::string_view> positional;
  std::string_view method;
  bool only_loads = false;  // true if transformers does not quantize to this format
  // The arguments that transformers reads for a model that is already quantized.
  std::span<const std::string_view> read_when_loading{};

  [[nodiscard]] constexpr std::string_view name() const { return text.substr(0, text.size() - 1); }
};

// Returns the class that a script calls, or null.
[[nodiscard]] const ClassRow* row_of(const script::Value& object);

// Returns true for the document of a configuration of a script.
[[nodiscard]] bool is_call(const doc::Document& document);

struct CallConfig {
  source::Value config;              // as `config.json` has it
  source::Span name;                 // of the class, or of the argument of a dictionary
  const ClassRow* row = nullptr;     // null: unknown
  std::vector<std::string> given{};  // names of all arguments; `**` for unknown ones
  bool unknown = false;              // true if the bits, or an argument that decides the outcome, are not known
};

// Returns the configuration of a call; nullopt for other values. `unknown`: places of unknown values.
[[nodiscard]] std::optional<CallConfig> config_of_call(const source::Value& root,
                                                       const std::set<source::Span>& unknown);

// Reports errors around configurations: how a script passes them to `from_pretrained`, and casts of the model.
void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::checkpoint
