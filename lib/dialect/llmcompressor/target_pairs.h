#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "model/names.h"
#include "regex/compare.h"

// Compares pairs of targets, with a limit for the total work.
namespace sparsecfg::dialect::llmcompressor {

// Compares targets and caches the matches of each. The work for all pairs is limited to about a fifth of a second.
// Later pairs are not compared.
class TargetPairs {
 public:
  // `modules` is null if the model is unknown. Otherwise it must outlive this object.
  explicit TargetPairs(const std::vector<model::Module>* modules) : modules_(modules) {}

  [[nodiscard]] const std::vector<model::Module>* modules() const { return modules_; }

  // Returns true if both match a common layer with certainty: in the model, or without a model if one contains the
  // other. A pattern is assumed to match layers, and `Linear` matches all of them.
  bool overlap(const std::string& a, const std::string& b);

  // Returns a name that both patterns match and to which `winner` applies. Returns nullopt if no such name exists, or
  // if `winner` is the narrower pattern, which users expect to apply. With a model the name is a layer of the model.
  std::optional<std::string> module_with_unexpected_winner(const std::string& winner, const std::string& other);

  // Counts a compared pair. Returns false if the limit is reached.
  bool take_pair_budget() { return budget_.spend(kWorkOfAPair); }

 private:
  static constexpr std::uint64_t kWorkOfAPair = 16;
  using Layers = std::vector<std::uint32_t>;

  // Null for invalid patterns and patterns that can't be compared.
  const regex::Nfa* automaton_of(const std::string& target);
  // Indices of the matched layers that can have a scheme, ascending.
  const Layers& layers_of(const std::string& target);
  // First layer that both match.
  std::optional<std::string> layer_of_both(const std::string& a, const std::string& b);
  bool contains(const regex::Nfa& a, const regex::Nfa& b);

  const std::vector<model::Module>* modules_;
  base::Budget budget_ = regex::comparison_budget(limits::kMaxWorkOfPattern);
  std::map<std::string, std::optional<regex::Nfa>> automata_;
  std::map<std::string, Layers> layers_;
};

// The targets of the modifiers so far.
class SeenTargets {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  explicit SeenTargets(TargetPairs& pairs) : pairs_(pairs) {}

  // `owner` is an id chosen by the caller. Keeps the first of equal targets.
  void add(const std::string& target, std::size_t owner);

  // Returns the index of the first target before `end` that overlaps with a target and is not ignored, or kNone.
  [[nodiscard]] std::size_t find(const std::string& target, const std::set<std::string>& left_out,
                                 std::size_t end = kNone) const;

  [[nodiscard]] std::size_t owner(std::size_t place) const { return seen_[place].owner; }

  [[nodiscard]] const std::string& text(std::size_t place) const { return seen_[place].text; }

 private:
  struct Seen {
    std::string text;
    std::size_t owner;
  };

  // Returns true if a target can overlap with a target of a different text.
  [[nodiscard]] bool is_wide(const std::string& target) const;

  TargetPairs& pairs_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> wide_;  // indices
  std::map<std::string, std::size_t> places_;
};

}  // namespace sparsecfg::dialect::llmcompressor
