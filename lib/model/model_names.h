#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/dawg.h"
#include "model/name_index.h"
#include "model/names.h"
#include "model/selector.h"

namespace sparsecfg::model {

// Limits the total work for the patterns of one recipe on the current thread. Nested objects are ignored. A pattern
// counts once for each list of names, even if its result is cached, so the result for a recipe does not depend on
// earlier recipes.
class PatternEffort {
 public:
  PatternEffort();
  PatternEffort(const PatternEffort&) = delete;
  PatternEffort& operator=(const PatternEffort&) = delete;
  ~PatternEffort();

 private:
  friend class ModelNames;

  // Returns true if a pattern may be matched: it was matched before, or budget is left.
  [[nodiscard]] bool allows(const void* names, const std::string& pattern) const;
  void count(const void* names, const std::string& pattern, std::uint64_t work);

  std::uint64_t left_ = 50'000'000;  // in NFA transitions examined; about half a second
  std::set<std::pair<const void*, std::string>> counted_;
};

// The names of a model's parameters or modules, with known shapes, indexed for many selectors. Not copyable or movable,
// because its members refer to each other.
class ModelNames {
 public:
  explicit ModelNames(Parameters all);

  explicit ModelNames(std::vector<std::string> names) : ModelNames(Parameters{std::move(names), {}}) {}

  explicit ModelNames(const std::vector<Module>& modules);

  ModelNames(const ModelNames&) = delete;
  ModelNames& operator=(const ModelNames&) = delete;

  [[nodiscard]] const std::vector<std::string>& list() const { return names_; }

  [[nodiscard]] std::size_t size() const { return names_.size(); }

  [[nodiscard]] const std::string& operator[](std::size_t at) const { return names_[at]; }

  // Returns true if this is one of the names or an alias.
  [[nodiscard]] bool knows(std::string_view name) const { return !places_of(name).empty(); }

  // Returns null if the shape is unknown.
  [[nodiscard]] const Shape* shape(std::size_t at) const {
    return has_shapes_ && shapes_[at] ? &*shapes_[at] : nullptr;
  }

  // Returns true if any shape is known.
  [[nodiscard]] bool has_shapes() const { return has_shapes_; }

  struct Taken {
    std::vector<IndexRange> ranges;  // ranges of indices, ascending and disjoint
    bool certain = true;             // false if some names could not be decided in time; these count as matches
    std::uint64_t work = 0;          // cost of matching a pattern, in NFA transitions examined
  };

  // Returns the names that a term matches. Thread-safe. Prunable layers are defined by type, which names do not show,
  // so names and shapes that fit are included.
  [[nodiscard]] Taken matched(const Term& term) const;

  // Marks the names that a term matches in `marked`, and calls visit(index) for those that were not marked before.
  void mark(const Term& term, std::vector<bool>& marked, auto visit) const {
    for (const auto& [first, last] : matched(term).ranges) {
      for (std::size_t at = first; at < last; ++at) {
        if (!marked[at]) visit(at);
        marked[at] = true;
      }
    }
  }

 private:
  // Second names of parameters that quantization has wrapped, in the order of the original names.
  struct Aliases {
    std::vector<std::string> names;
    std::vector<std::uint32_t> places;
  };

  [[nodiscard]] std::vector<std::uint32_t> places_of(std::string_view name) const;
  [[nodiscard]] Taken taken_by_name(std::string_view name) const;
  [[nodiscard]] Taken taken_if(auto fits) const;
  // Results for a pattern are cached. If the recipe's effort is exhausted, all names are uncertain.
  [[nodiscard]] Taken taken_by_pattern(const std::string& pattern) const;
  [[nodiscard]] Taken known_or_followed(const std::string& pattern) const;
  [[nodiscard]] Taken follow(const std::string& pattern) const;
  [[nodiscard]] Taken all_uncertain() const;
  void match_each(const std::string& pattern, bool all, Taken& out) const;
  void build_graph();

  std::vector<std::string> names_;
  std::vector<std::optional<Shape>> shapes_;  // one per name; empty if no shape is known
  std::vector<std::string> types_;            // types of modules; empty for parameters
  bool has_shapes_ = false;
  Aliases aliases_;
  NameIndex index_;  // of the names, followed by the aliases
  // ASCII names, followed by ASCII aliases, by their number in the graph. `plain_places_` has their indices, and
  // `others_` has all other names.
  std::vector<std::string_view> plain_;
  std::vector<std::uint32_t> plain_places_;
  std::vector<std::pair<std::string_view, std::uint32_t>> others_;
  std::optional<Dawg> graph_;

  mutable std::mutex mutex_;                              // guards the members below
  mutable std::unordered_map<std::string, Taken> known_;  // by pattern
  mutable std::size_t remembered_ = 0;                    // total number of ranges in `known_`
};

// Returns for each name whether a term of the selector matches it. Exclusions are ignored. For selectors over layers
// the result contains only matches that follow from parameter names.
[[nodiscard]] std::vector<bool> matched_names(const Selector& selector, const ModelNames& names);

// Returns the shape of a name or alias; null if `names` is null or the shape is unknown.
[[nodiscard]] const Shape* shape_of(const ModelNames* names, const std::string& name);

// Returns the second name of a parameter that quantization has wrapped: `x.weight` for `x.module.weight`
// (reference/sparseml.md D). Empty if there is none.
[[nodiscard]] std::string unwrapped_name(std::string_view name);

}  // namespace sparsecfg::model
