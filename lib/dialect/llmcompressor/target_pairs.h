#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "regex/compare.h"
#include "source/names.h"

// What two targets take of a model, for the many pairs of them that a recipe may have.
namespace sparsecfg::dialect::llmcompressor {

// Keeps what it finds out about a target. The work of all pairs together is limited to about a fifth of a second: of
// pairs behind that limit nothing is known.
class TargetPairs {
 public:
  // `modules` is null where the model is unknown; else it must outlive this.
  explicit TargetPairs(const std::vector<source::Module>* modules) : modules_(modules) {}

  [[nodiscard]] const std::vector<source::Module>* modules() const { return modules_; }

  // Returns true if both certainly take one layer: by the model's names, else if one takes all that the other does. A
  // pattern is for layers, and `Linear` is all of them.
  bool meet(const std::string& a, const std::string& b);

  // Of two patterns that match the same name, `winner` decides. Returns such a name unless `winner` is the narrower
  // pattern, which people expect to decide; with a model it is the name of a layer in it. Returns nullopt if there is
  // none.
  std::optional<std::string> surprise(const std::string& winner, const std::string& other);

  // To be called for each pair that is looked at; false if the limit is reached.
  bool begin_pair() { return budget_.spend(kWorkOfAPair); }

 private:
  static constexpr std::uint64_t kWorkOfAPair = 16;
  using Layers = std::vector<std::uint32_t>;

  // Null for what Python refuses, and for patterns that can't be compared.
  const regex::Nfa* automaton_of(const std::string& target);
  // The numbers of the layers that can have a scheme and are taken, ascending.
  const Layers& layers_of(const std::string& target);
  // The first layer of both.
  std::optional<std::string> layer_of_both(const std::string& a, const std::string& b);
  bool contains(const regex::Nfa& a, const regex::Nfa& b);

  const std::vector<source::Module>* modules_;
  regex::Budget budget_{20'000'000};
  std::map<std::string, std::optional<regex::Nfa>> automata_;
  std::map<std::string, Layers> layers_;
};

// The targets of the modifiers so far.
class SeenTargets {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  explicit SeenTargets(TargetPairs& pairs) : pairs_(pairs) {}

  // `owner` is any number of the caller's. The first of equal targets counts.
  void add(const std::string& target, std::size_t owner);

  // The place of the first of those before `end` that meets a target and is not left out; kNone if there is none.
  [[nodiscard]] std::size_t find(const std::string& target, const std::set<std::string>& left_out,
                                 std::size_t end = kNone) const;

  [[nodiscard]] std::size_t owner(std::size_t place) const { return seen_[place].owner; }

 private:
  struct Seen {
    std::string text;
    std::size_t owner;
  };

  // Returns true if a target can meet one with another text.
  [[nodiscard]] bool is_wide(const std::string& target) const;

  TargetPairs& pairs_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> wide_;  // places
  std::map<std::string, std::size_t> places_;
};

}  // namespace sparsecfg::dialect::llmcompressor
