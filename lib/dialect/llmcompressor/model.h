#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "model/matcher.h"
#include "model/names.h"

// Computes which modules of a model llm-compressor selects.
namespace sparsecfg::dialect::llmcompressor {

// Returns true if an entry of `targets`, `ignore` or a mapping is a pattern: it begins with `re:`.
[[nodiscard]] bool is_pattern(std::string_view entry);
// Returns the pattern after `re:`.
[[nodiscard]] std::string_view pattern_of(std::string_view entry);
// Returns the reason why Python can't compile a pattern, or nullopt if it can.
[[nodiscard]] std::optional<std::string> fault_of_regex(std::string_view pattern);
// Returns the same for an entry, or nullopt if it is not a pattern.
[[nodiscard]] std::optional<std::string> fault_of(std::string_view entry);

// Returns the pattern without the `$` or `\Z` that ends it, or nullopt if it has no such end or the end is
// escaped.
[[nodiscard]] std::optional<std::string_view> without_end(std::string_view pattern);

// The classes of all layers with prunable weights.
inline constexpr std::string_view kPrunedClasses[] = {"Linear", "Conv1d", "Conv2d", "Conv3d"};

// Return a matcher of modules by patterns, full names and classes, including some base classes.
[[nodiscard]] model::Matcher matcher_of(const std::vector<Entry>& entries);
[[nodiscard]] model::Matcher matcher_of(const std::string& entry);

// A model, prepared for matching many entries. Names and classes are looked up; patterns are tried on all names.
class ModelIndex {
 public:
  // The modules must outlive this object.
  explicit ModelIndex(const std::vector<model::Module>& modules);

  // Returns the modules that an entry matches, in model order.
  [[nodiscard]] std::vector<const model::Module*> matched_names(const std::string& entry) const;
  // Returns true if the entry matches any module.
  [[nodiscard]] bool has(const std::string& entry) const;

  // Returns the entry that searches anywhere in the names, if it matches a module and the entry itself does not search
  // already. Each call tries all names, so only the first 20 calls do.
  [[nodiscard]] std::optional<std::string> anywhere(const std::string& entry);

  // Returns the name or class of a module that is nearest to a misspelled entry. The same limit of calls applies.
  [[nodiscard]] std::optional<std::string> nearest(const std::string& entry);

 private:
  const std::vector<model::Module>& modules_;
  std::unordered_map<std::string_view, std::vector<const model::Module*>> by_word_;
  std::size_t guesses_left_ = 20;
};

// Returns true if llm-compressor attaches weight schemes to modules of this class.
[[nodiscard]] bool takes_scheme(const model::Module& module);
// Returns true for an attention module, whose cache and inputs can be quantized.
[[nodiscard]] bool is_attention(const model::Module& module);

// A target with the index of its group.
struct Target {
  Entry entry;
  std::size_t group;
};

// Returns the targets by priority: patterns sorted by text, then names and classes sorted by text. A full name has
// priority over all. Of equal targets the one of the last group applies.
[[nodiscard]] std::vector<Target> targets_of(const std::vector<Group>& groups);

// Returns for each module the index in `groups` of its scheme, or nullopt. Follows the rules of compressed-tensors.
[[nodiscard]] std::vector<std::optional<std::size_t>> schemes_in(const std::vector<model::Module>& modules,
                                                                 const std::vector<Group>& groups,
                                                                 const std::vector<Entry>& ignore);

// The modules that the patterns of a mapping match, set by set, or the reason why they can't be combined.
struct Sets {
  std::vector<std::vector<std::vector<const model::Module*>>> sets;  // modules by set and pattern
  std::string fault;                                                 // empty: none
};

[[nodiscard]] Sets sets_in(const std::vector<model::Module>& modules, const std::vector<std::string>& patterns);

}  // namespace sparsecfg::dialect::llmcompressor
