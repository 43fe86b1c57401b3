#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/modelopt/config.h"
#include "model/names.h"
#include "regex/pattern.h"

// The quantizers of the modules of a model, and the state that a list of entries gives them
// (docs/semantics/modelopt.md#c1).
namespace sparsecfg::dialect::modelopt {

enum class Tensor : std::uint8_t { weights, inputs, outputs, queries, keys, values, probabilities };

// One quantizer, or one step of quantizers in sequence.
struct Step {
  static constexpr std::uint32_t kInsertion = UINT32_MAX;

  bool on = false;
  std::uint32_t entry = kInsertion;  // whose attributes the step has; kInsertion: those of its insertion
  std::uint32_t part = 0;            // of the attributes of the entry
  bool nested = false;               // a sequence inside a sequence, which the export can't write

  friend bool operator==(const Step&, const Step&) = default;
};

struct Quantizer {
  Tensor tensor = Tensor::weights;
  std::string name;       // full: "model.layers.0.mlp.up_proj.weight_quantizer"
  bool numbered = false;  // one of several, for the experts of a layer
  bool never_on = false;  // the inputs of an embedding
  bool sequence = false;  // false: `steps` has one element
  std::vector<Step> steps;
  std::vector<std::uint32_t> matched;  // entries that match, in order

  // Returns true if the first step is on.
  [[nodiscard]] bool is_on() const { return !steps.empty() && steps.front().on; }
};

// A module with its quantizers. Projections of fused experts are modules with names of their own.
struct QuantizedModule {
  std::size_t index = 0;  // in the modules
  std::string key;        // of its class, for `parent_class`
  bool has_weight = false;
  std::vector<Quantizer> quantizers;

  [[nodiscard]] const Quantizer* find(Tensor tensor) const;
};

// Returns the modules with one more module for each projection of fused experts, which is named `...experts.up_proj`.
[[nodiscard]] std::vector<model::Module> with_projections(const std::vector<model::Module>& modules);

// Returns the modules that have quantizers, in the state of their insertion. `modules` is a result of with_projections.
// `embeddings`: false for releases before 0.45, which quantize no embeddings.
[[nodiscard]] std::vector<QuantizedModule> insert_quantizers(std::span<const model::Module> modules,
                                                             bool embeddings = true);

// Returns the attributes of a quantizer at its insertion.
[[nodiscard]] Attributes insertion_of(const QuantizedModule& module, const Quantizer& quantizer);

// Returns the attributes of a step.
[[nodiscard]] Attributes attributes_of(const QuantizedModule& module, const Quantizer& quantizer, const Step& step,
                                       std::span<const Entry> entries);

// Returns the name of a quantizer without the number of an expert or of a step, as patterns match it, too:
// "x.weight_quantizers.3" -> "x.weight_quantizer". The same name if it has none.
[[nodiscard]] std::string without_number(std::string_view name);

// Returns a name with `N` for each part that is a number, which layers of all blocks share.
[[nodiscard]] std::string family_of(std::string_view name);

// Returns true if a class can be named by `parent_class` in every model.
[[nodiscard]] bool is_known_key(std::string_view key);
[[nodiscard]] std::span<const std::string_view> known_keys();
// Returns the keys that the classes of these modules add: "LlamaAttention", "hf.MixtralExperts".
[[nodiscard]] std::vector<std::string> keys_of_model(std::span<const QuantizedModule> modules);

// Returns the compiled form of a glob over whole names; nullopt if it is too complex.
[[nodiscard]] std::optional<regex::Pattern> compiled_glob(std::string_view glob);

// What an entry does to quantizers that it matches.
struct Pick {
  std::string_view pattern;
  std::string_view parent;           // empty: any
  std::optional<std::size_t> steps;  // number of attribute sets; nullopt: keeps the attributes
  bool sequence = false;
  bool enable = true;
};

[[nodiscard]] std::vector<Pick> picks_of(std::span<const Entry> entries);

// Returns for each of `count` entries whether it matches a quantizer.
[[nodiscard]] std::vector<bool> matched_entries(std::span<const QuantizedModule> modules, std::size_t count);

// Applies entries in order. Returns false if matching them would be too slow; the states are then unknown.
[[nodiscard]] bool apply_entries(std::span<const Pick> picks, std::vector<QuantizedModule>& modules);

}  // namespace sparsecfg::dialect::modelopt
