#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/matching.h"

// Reports which names of a model each selector of a recipe matches, as text and as JSON.
namespace sparsecfg::match {

// A name with the actions that select it, or several names with the same answer.
struct NameGroup {
  std::string name;  // "fc.weight", "model.layers.{0..31}.mlp.*"
  std::string answer;
  std::string shape;  // empty: unknown or different
  std::size_t count = 1;
};

// Joins names with the same answer that differ only in numbers, or that share a prefix. `names` are all names of the
// model in model order. The groups are ordered by their first names.
[[nodiscard]] std::vector<NameGroup> grouped(const std::vector<NameGroup>& names);

// Returns a title and the selected names with their answers. Up to 12 names are listed one by one, and a larger number
// is joined to groups. Names without an answer are only counted, as names of a kind such as "modules". `all` lists
// every name separately.
[[nodiscard]] std::string listed_names(std::string_view title, std::string_view kind, std::vector<NameGroup> names,
                                       bool all);

struct NamedOutcome;

class Matching {
 public:
  // `parameters` and `modules` are null if unknown. All arguments must outlive this object.
  Matching(const ir::Recipe& recipe, const model::ModelNames* parameters, const model::ModelNames* modules);

  // Returns true if the number of matches is within the limit. Otherwise call no other function.
  [[nodiscard]] bool complete() const { return complete_; }

  // Returns the matches of each selector, then the selected names with the actions that apply to them and the actions
  // that an earlier target overrides. A large number of names is joined to groups. `all` lists every name separately.
  [[nodiscard]] std::string text(bool all) const;
  // Returns the same as a JSON object (format 1). `modules` are those of the module names, with classes; null if
  // unknown. `outcome` adds the states of the modules; null: none.
  [[nodiscard]] std::string json(const std::vector<model::Module>* modules = nullptr,
                                 const NamedOutcome* outcome = nullptr) const;

  // Returns the names that an action such as "GMPruningModifier#2" selects, one per line, or nullopt if there is no
  // such action.
  [[nodiscard]] std::optional<std::string> selected_by(std::string_view action) const;

  // Returns the verdict of every selector on one name, or nullopt if the model lacks the name.
  [[nodiscard]] std::optional<std::string> explain(std::string_view name) const;
  // Returns the name of the model that is most similar to `text`, if any.
  [[nodiscard]] std::optional<std::string> nearest(std::string_view text) const;

 private:
  // The names of one kind, with the selectors that match them.
  struct Kind {
    std::string_view name;  // "parameters"
    model::Selector::Over over;
    const model::ModelNames* names;
    std::vector<std::vector<ir::Claim>> claims;  // by name
  };

  // A selector of an action, with the names that each term matches.
  struct Row {
    const ir::Action* action;
    std::size_t index;  // of the action
    const model::Selector* selector;
    std::size_t number;  // among the action's selectors
    std::vector<std::vector<std::size_t>> matched;
  };

  void add(std::string_view name, model::Selector::Over over, const model::ModelNames* names);
  [[nodiscard]] std::vector<Row> rows_of(const Kind& kind) const;
  [[nodiscard]] NameGroup answer_of(const Kind& kind, std::size_t at) const;
  [[nodiscard]] std::string names_text(const Kind& kind, bool all) const;
  [[nodiscard]] static std::string ignored_by(const Kind& kind, std::size_t at, const model::Selector& selector);
  [[nodiscard]] std::string verdict(const Kind& kind, std::size_t at, const Row& row) const;

  const ir::Recipe& recipe_;
  std::vector<Kind> kinds_;
  bool complete_ = true;
};

}  // namespace sparsecfg::match
