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

#include "ir/dawg.h"
#include "ir/name_index.h"
#include "ir/selector.h"
#include "source/names.h"

namespace sparsecfg::ir {

// Bounds the work for the patterns of one recipe, all together, on the thread that it lives on. Within another one it
// changes nothing. A pattern counts once for each list of names, whether its answer was known already or not, so that
// what a recipe gets does not depend on the recipes before it.
class PatternEffort {
 public:
  PatternEffort();
  PatternEffort(const PatternEffort&) = delete;
  PatternEffort& operator=(const PatternEffort&) = delete;
  ~PatternEffort();

 private:
  friend class ModelNames;

  // Returns true if a pattern may be followed: it was before, or there is work left.
  [[nodiscard]] bool allows(const void* names, const std::string& pattern) const;
  void count(const void* names, const std::string& pattern, std::uint64_t work);

  std::uint64_t left_ = 50'000'000;  // in looks at a state for one sign: about half a second
  std::set<std::pair<const void*, std::string>> counted_;
};

// The names of a model's parameters or modules, with the shapes that are known, made ready for many
// selectors. Neither copied nor moved: its parts refer to each other.
class ModelNames {
 public:
  explicit ModelNames(source::Parameters all);

  explicit ModelNames(std::vector<std::string> names) : ModelNames(source::Parameters{std::move(names), {}}) {}

  explicit ModelNames(const std::vector<source::Module>& modules);

  ModelNames(const ModelNames&) = delete;
  ModelNames& operator=(const ModelNames&) = delete;

  [[nodiscard]] const std::vector<std::string>& list() const { return names_; }

  [[nodiscard]] std::size_t size() const { return names_.size(); }

  [[nodiscard]] const std::string& operator[](std::size_t at) const { return names_[at]; }

  // Returns true if it is one of the names, or the other name of one.
  [[nodiscard]] bool knows(std::string_view name) const { return !places_of(name).empty(); }

  // Returns null if it is not known.
  [[nodiscard]] const source::Shape* shape(std::size_t at) const {
    return has_shapes_ && shapes_[at] ? &*shapes_[at] : nullptr;
  }

  // Returns true if any is.
  [[nodiscard]] bool has_shapes() const { return has_shapes_; }

  struct Taken {
    std::vector<IndexRange> stretches;  // of the names' places, ascending and apart from each other
    bool certain = true;                // false: of some it takes too long to find out, and they count as taken
    std::uint64_t work = 0;             // what it took to follow a pattern, in looks at a state for one sign
  };

  // What a term takes; may be asked by several threads. Layers that can be pruned are known by their type, which names
  // do not have: what may be one by its name and its shape counts as one.
  [[nodiscard]] Taken matched(const Term& term) const;

 private:
  // Names that stand for others, in the order of the names that they stand for: a parameter that
  // quantization has wrapped goes by two names.
  struct Aliases {
    std::vector<std::string> names;
    std::vector<std::uint32_t> places;
  };

  [[nodiscard]] std::vector<std::uint32_t> places_of(std::string_view name) const;
  [[nodiscard]] Taken taken_by_name(std::string_view name) const;
  [[nodiscard]] Taken taken_if(auto fits) const;
  // Asked again for a pattern, answers what it answered before. Where the recipe's effort is spent, all are uncertain.
  [[nodiscard]] Taken taken_by_pattern(const std::string& pattern) const;
  [[nodiscard]] Taken known_or_followed(const std::string& pattern) const;
  [[nodiscard]] Taken follow(const std::string& pattern) const;
  [[nodiscard]] Taken all_uncertain() const;
  void match_each(const std::string& pattern, bool all, Taken& out) const;
  void build_graph();

  std::vector<std::string> names_;
  std::vector<std::optional<source::Shape>> shapes_;  // of each name; none if none is known
  std::vector<std::string> types_;                    // of modules; empty for parameters
  bool has_shapes_ = false;
  Aliases aliases_;
  NameIndex index_;  // of the names, and of the aliases behind them
  // The names of ASCII characters, the aliases of ASCII characters behind them, by their numbers in
  // the graph, and the place of each; and the others.
  std::vector<std::string_view> plain_;
  std::vector<std::uint32_t> plain_places_;
  std::vector<std::pair<std::string_view, std::uint32_t>> others_;
  std::optional<Dawg> graph_;

  mutable std::mutex mutex_;                              // guards what follows
  mutable std::unordered_map<std::string, Taken> known_;  // by pattern
  mutable std::size_t remembered_ = 0;                    // stretches of all that is known
};

// The shape of the name, or of the name that it is another one for; null if `names` is null or the shape is unknown.
[[nodiscard]] const source::Shape* shape_of(const ModelNames* names, const std::string& name);

// The other name of a parameter of a layer that quantization has wrapped: `x.module.weight` is
// `x.weight` too (reference/sparseml.md D). Empty where there is none.
[[nodiscard]] std::string unwrapped_name(std::string_view name);

}  // namespace sparsecfg::ir
