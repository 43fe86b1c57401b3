#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "dialect/schemes/targets.h"
#include "model/block_numbers.h"
#include "model/matcher.h"
#include "model/names.h"

// Computes which modules of a model llm-compressor selects.
namespace sparsecfg::dialect::llmcompressor {

using schemes::fault_of;
using schemes::fault_of_regex;
using schemes::is_attention;
using schemes::is_joined_list;
using schemes::is_pattern;
using schemes::matcher_of;
using schemes::pattern_of;
using schemes::schemes_in;
using schemes::takes_scheme;
using schemes::Target;
using schemes::targets_of;

// Returns the pattern without the `$` or `\Z` that ends it, or nullopt if such an end is absent or the end is
// escaped.
[[nodiscard]] std::optional<std::string_view> without_end(std::string_view pattern);

// The classes of layers with prunable weights.
inline constexpr std::string_view kPrunedClasses[] = {"Linear", "Conv1d", "Conv2d", "Conv3d"};

// Returns true for a module that has no weight, if the shapes of weights are known. Layers may lack a shape by mistake.
[[nodiscard]] bool lacks_weight(const model::Module& module);

// Returns the names of the layers that runtimes load as one with a layer of this name, in order; empty if there are
// none. Weights with the strategy `tensor_group` share a global scale then.
[[nodiscard]] std::span<const std::string_view> fused_names(std::string_view name);

// A model, prepared for matching many entries. Names and classes are looked up; patterns are tried on all names.
class ModelIndex {
 public:
  // `stored` are the names of the modules in checkpoints; null: the same names. The arguments must outlive this object.
  ModelIndex(const std::vector<model::Module>& modules, const std::vector<std::string>* stored);

  // Returns the modules that an entry matches, in model order.
  [[nodiscard]] std::vector<const model::Module*> matched_names(const std::string& entry) const;
  // Returns true if the entry matches any module.
  [[nodiscard]] bool has(const std::string& entry) const;

  // Returns the numbers of blocks in a pattern that the model lacks; nullopt if it has all of them.
  [[nodiscard]] std::optional<model::MissingNumbers> missing_numbers(const std::string& entry) const;

  // Returns the entry that searches anywhere in the names, if it matches a module and the entry itself does not search
  // already. Each call tries all names, so only the first 20 calls do.
  [[nodiscard]] std::optional<std::string> anywhere(const std::string& entry);

  // Returns the first module whose name in checkpoints an entry matches, and that name; null if there is none. The same
  // limit of calls applies.
  [[nodiscard]] std::pair<const model::Module*, std::string> stored_as(const std::string& entry);

  // Returns a pattern for exactly the layers whose names in checkpoints a pattern matches; nullopt if there are none,
  // or they are in different parts of a block. The same limit of calls applies.
  [[nodiscard]] std::optional<std::string> pattern_for_stored(const std::string& entry);

  // Returns the class of this model for that of another one: `Qwen3DecoderLayer` for `LlamaDecoderLayer`.
  [[nodiscard]] std::optional<std::string> same_part(const std::string& entry) const;

  // Returns the name or class of a module that is nearest to a misspelled entry. The same limit of calls applies.
  [[nodiscard]] std::optional<std::string> nearest(const std::string& entry);

 private:
  const std::vector<model::Module>& modules_;
  const std::vector<std::string>* stored_;
  std::unordered_map<std::string_view, std::vector<const model::Module*>> by_word_;
  std::size_t guesses_left_ = 20;
};

// Why the modules that the patterns of a mapping match can't be combined to sets.
using NoFault = std::monostate;

struct MissingModules {
  std::string beside;                 // a module of the incomplete set
  std::vector<std::string> patterns;  // that match no module of this set, in backticks
};

struct AmbiguousModule {
  std::string first;  // a pattern
  std::string second;
  std::string name;  // of the module that both match
};

using SetFault = std::variant<NoFault, MissingModules, AmbiguousModule>;

// Returns "no module next to `norm` matches `q`".
[[nodiscard]] std::string describe(const SetFault& fault);

using ModuleSet = std::vector<std::vector<const model::Module*>>;  // by pattern

// The modules that the patterns of a mapping match.
struct Sets {
  std::vector<ModuleSet> sets;
  SetFault fault;

  [[nodiscard]] bool failed() const { return !std::holds_alternative<NoFault>(fault); }
};

[[nodiscard]] Sets sets_in(const std::vector<model::Module>& modules, const std::vector<std::string>& patterns);

}  // namespace sparsecfg::dialect::llmcompressor
