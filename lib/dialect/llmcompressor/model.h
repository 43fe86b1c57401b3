#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dialect/llmcompressor/schemes.h"
#include "regex/pattern.h"
#include "source/names.h"

// Which modules of a model llm-compressor selects.
namespace sparsecfg::dialect::llmcompressor {

// Returns true if an entry of `targets`, `ignore` or a mapping is a pattern: it begins with `re:`.
[[nodiscard]] bool is_pattern(std::string_view entry);
// What stands behind the `re:` of such an entry.
[[nodiscard]] std::string_view pattern_of(std::string_view entry);
// Why Python can't compile a pattern; nothing if it can.
[[nodiscard]] std::optional<std::string> fault_of_regex(std::string_view pattern);
// The same of an entry; nothing for those that are no patterns.
[[nodiscard]] std::optional<std::string> fault_of(std::string_view entry);

// Returns the pattern without the `$` or `\Z` that ends it, or nullopt if it ends in neither or that is escaped.
[[nodiscard]] std::optional<std::string_view> without_end(std::string_view pattern);

// The classes that stand for all layers whose weights are pruned.
inline constexpr std::string_view kPrunedClasses[] = {"Linear", "Conv1d", "Conv2d", "Conv3d"};

// An entry made ready for many modules.
class Matcher {
 public:
  explicit Matcher(std::string entry);

  // Returns true if it takes a module: by a pattern, by the full name or by its class.
  [[nodiscard]] bool takes(const source::Module& module) const;
  // Returns true if it takes a module by its name alone.
  [[nodiscard]] bool takes_name(std::string_view name) const;

 private:
  std::string text_;
  std::optional<regex::Pattern> pattern_;  // nothing for a name, and for a pattern that Python refuses
};

// Many entries made ready for many modules: names and classes are looked up, however many they are.
class Matchers {
 public:
  explicit Matchers(const std::vector<Entry>& entries);

  // Returns true if any of them takes a module.
  [[nodiscard]] bool takes(const source::Module& module) const;

 private:
  std::set<std::string, std::less<>> words_;  // names and classes
  std::vector<Matcher> patterns_;
};

// A model made ready for many entries: names and classes are looked up, and patterns are tried on all names.
class ModelIndex {
 public:
  // The modules must outlive this.
  explicit ModelIndex(const std::vector<source::Module>& modules);

  // Returns the modules that an entry takes, in the model's order.
  [[nodiscard]] std::vector<const source::Module*> taken_by(const std::string& entry) const;
  // Returns true if it takes any.
  [[nodiscard]] bool has(const std::string& entry) const;

  // Returns the entry that looks for the same anywhere in the names, if that takes a module and the entry itself does
  // not do so already. Each call tries all names, so that only the first 20 do.
  [[nodiscard]] std::optional<std::string> anywhere(const std::string& entry);

 private:
  const std::vector<source::Module>& modules_;
  std::unordered_map<std::string_view, std::vector<const source::Module*>> by_word_;
  std::size_t guesses_left_ = 20;
};

// Returns true if schemes for weights are attached to modules of the class.
[[nodiscard]] bool takes_scheme(const source::Module& module);
// Returns true if it is one whose cache and inputs can be quantized.
[[nodiscard]] bool is_attention(const source::Module& module);

// A target of a group, which stands at a place in the list of groups.
struct Target {
  Entry entry;
  std::size_t group;
};

// The targets in the order in which they decide: patterns by their text, then names and classes by theirs; a full name
// comes before all of them. Of equal targets that of the last group counts.
[[nodiscard]] std::vector<Target> targets_of(const std::vector<Group>& groups);

// For each module the place in `groups` of the one whose scheme it gets, as compressed-tensors decides it; nothing
// where none does.
[[nodiscard]] std::vector<std::optional<std::size_t>> schemes_in(const std::vector<source::Module>& modules,
                                                                 const std::vector<Group>& groups,
                                                                 const std::vector<Entry>& ignore);

// The modules that the patterns of a mapping take together, set by set, or why they can't be put together.
struct Sets {
  std::vector<std::vector<std::vector<const source::Module*>>> sets;  // for each set and each pattern its modules
  std::string fault;                                                  // empty: none
};

[[nodiscard]] Sets sets_in(const std::vector<source::Module>& modules, const std::vector<std::string>& patterns);

}  // namespace sparsecfg::dialect::llmcompressor
