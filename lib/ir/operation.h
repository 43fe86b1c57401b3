#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/effect.h"
#include "ir/scheme.h"
#include "model/names.h"
#include "source/span.h"

namespace sparsecfg::selectors {
struct Reader;
}

// The operations of recipes for a trained model. `outcome/` evaluates them for the modules of a model. A dialect
// provides only these values; `match`, `inspect`, `diff`, the effect line and the common rules follow from them.
namespace sparsecfg::ir {

// --- selection --------------------------------------------------------------------------------------------------

// One entry of a list of selectors, and its result for the modules that it decides.
struct Rule {
  enum class Kind : std::uint8_t {
    assigns,   // the module gets the scheme, or the operation is applied to it
    excludes,  // the module stays unquantized, even if an earlier action quantized it
    leaves,    // the module stays as it is
  };
  std::string entry;  // as written: "re:.*down_proj"
  source::Span span;
  Kind kind = Kind::assigns;
  std::uint32_t scheme = 0;  // index into Assign::schemes
  bool unknown = false;      // true if the entry or its scheme depends on a value that is not known

  // Ignores the span.
  friend bool operator==(const Rule& a, const Rule& b) {
    return a.entry == b.entry && a.kind == b.kind && a.scheme == b.scheme && a.unknown == b.unknown;
  }
};

// The results of a selection for modules. Modules with the same deciding rule share one entry.
struct Decisions {
  enum class Reason : std::uint8_t {
    rule,         // a rule decides
    by_default,   // no rule matches
    not_reached,  // the program never examines such a module
    built_in,     // the program skips the module by default, such as the head
  };

  struct Decision {
    Reason reason = Reason::not_reached;
    Rule::Kind kind = Rule::Kind::leaves;
    std::uint32_t scheme = 0;                 // if `kind` is `assigns`: index into the schemes
    std::optional<std::uint32_t> rule{};      // the deciding rule
    std::vector<std::uint32_t> overridden{};  // rules that also match
    bool unknown = false;                     // true if the decision depends on an unknown value
    friend bool operator==(const Decision&, const Decision&) = default;
  };

  std::vector<Decision> entries{Decision{}};  // entry 0: not reached
  std::vector<std::uint32_t> of_modules{};    // index into `entries`, for each module
  std::vector<Scheme> schemes{};  // replaces Assign::schemes if rules are merged to further schemes; empty: it does not
  bool complete = true;           // false if matching all rules with all modules would be too slow
};

struct Selection;

// How a system compares the entries of a list with modules, and which entry decides. A constant of a dialect.
struct Language {
  using Decide = Decisions (*)(const Selection&, std::span<const Scheme> schemes, std::span<const model::Module>);
  using Examples = std::vector<model::Module> (*)(const Selection&);
  using StoredBits = double (*)(const Scheme&, const model::Module&);

  std::string_view name;             // "llm-compressor", "vLLM fp8"
  Decide decide = nullptr;           // decides with `reader`, or, if a record can't express the language, by itself
  Examples examples = nullptr;       // modules that the entries match, for comparisons without a model; null: unknown
  StoredBits stored_bits = nullptr;  // of the weight of a module with a scheme; null: default_stored_bits()
  bool order_matters = true;         // false if the order of the rules in the file has no effect
  const selectors::Reader* reader = nullptr;  // the record of the language, if it has one
};

// Returns the bits of a weight with its scales and zero points: scales have 16 bits, or 8 for groups of floats. Returns
// 0 if the shape is unknown.
[[nodiscard]] double default_stored_bits(const Scheme& scheme, const model::Module& module);

// An ordered list of rules.
struct Selection {
  const Language* language = nullptr;
  std::vector<Rule> rules;  // in the order of the file
  // For modules that no rule matches: the index of their scheme; nullopt: they stay as they are.
  std::optional<std::uint32_t> otherwise{};
  bool unknown = false;  // true if there may be other rules, or other schemes, that are not known

  friend bool operator==(const Selection&, const Selection&) = default;
};

// --- operations -------------------------------------------------------------------------------------------------

// A setting that changes the values that a method computes, not the format.
struct MethodSetting {
  std::string name;   // "block_size", "weights observer"
  std::string value;  // in words: "128"
  bool unknown = false;
  bool usual = false;  // true for the default of the class, which another system may not have as a setting

  // Ignores `usual`.
  friend bool operator==(const MethodSetting& a, const MethodSetting& b) {
    return a.name == b.name && a.value == b.value && a.unknown == b.unknown;
  }
};

// The algorithm that computes values.
struct Method {
  std::string name;     // as printed in JSON: "gptq", "wanda", "q4_K"; empty: the file does not state it
  std::string title{};  // in words: "GPTQ", "round to nearest"
  std::vector<MethodSetting> settings{};  // sorted by name; settings with default values are included

  // Returns the name in words.
  [[nodiscard]] const std::string& text() const { return title.empty() ? name : title; }

  friend bool operator==(const Method&, const Method&) = default;
};

// Assigns schemes to modules.
struct Assign {
  Selection selection;
  std::vector<Scheme> schemes;
  Method method;
  friend bool operator==(const Assign&, const Assign&) = default;
};

// Prunes the selected modules once.
struct PruneOnce {
  Selection selection;
  std::optional<double> sparsity;  // nullopt: unknown, or different for each layer (a setting of the method)
  std::string mask;                // "2:4", as the system writes it; empty: single weights
  Method method;
  friend bool operator==(const PruneOnce&, const PruneOnce&) = default;
};

// Changes weights without changing what the model computes, so that quantization loses less.
struct Transform {
  enum class Kind : std::uint8_t { smoothing, rotation, other };
  Kind kind = Kind::smoothing;
  Selection selection;
  Method method;
  friend bool operator==(const Transform&, const Transform&) = default;
};

// Quantizes the attention cache.
struct CacheScheme {
  Selection selection;
  std::optional<TensorFormat> keys;  // nullopt: not quantized
  std::optional<TensorFormat> values;
  Method method;
  friend bool operator==(const CacheScheme&, const CacheScheme&) = default;
};

using Operation = std::variant<Assign, PruneOnce, Transform, CacheScheme>;

// Return the common parts of an operation.
[[nodiscard]] const Selection& selection_of(const Operation& operation);
[[nodiscard]] Selection& selection_of(Operation& operation);
[[nodiscard]] const Method& method_of(const Operation& operation);

}  // namespace sparsecfg::ir
