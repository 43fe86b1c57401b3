#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/matching.h"
#include "match/groups.h"

// What each selector of a recipe takes of a model, for people and as JSON.
namespace sparsecfg::match {

class Matching {
 public:
  // Null is what is not known. All of them must outlive the matching.
  Matching(const ir::Recipe& recipe, const ir::ModelNames* parameters, const ir::ModelNames* modules);

  // Returns true if there are few enough claims to be listed; where not, nothing else is to be asked.
  [[nodiscard]] bool complete() const { return complete_; }

  // Every selector with what its terms take, then the names that anything selects, with the actions that get them and
  // those that lost them to an earlier target; many of them joined to groups. `all`: every name on its own.
  [[nodiscard]] std::string text(bool all) const;
  // The same as a JSON object, format 1.
  [[nodiscard]] std::string json() const;

  // The names that an action, such as "GMPruningModifier#2", selects, each on a line; nullopt if there is no such
  // action.
  [[nodiscard]] std::optional<std::string> selected_by(std::string_view action) const;

  // Every selector and what it says of one name; nullopt if the model has no such name.
  [[nodiscard]] std::optional<std::string> explain(std::string_view name) const;
  // The name of the model that is most like a text.
  [[nodiscard]] std::optional<std::string> nearest(std::string_view text) const;

 private:
  // The names of one kind, and who claims them.
  struct Kind {
    std::string_view name;  // "parameters"
    ir::Selector::Over over;
    const ir::ModelNames* names;
    std::vector<std::vector<ir::Claim>> claims;  // by name
  };

  // A selector of an action, and by term which names it takes.
  struct Row {
    const ir::Action* action;
    std::size_t index;  // of the action
    const ir::Selector* selector;
    std::size_t number;  // among the action's selectors
    std::vector<std::vector<std::size_t>> matched;
  };

  void add(std::string_view name, ir::Selector::Over over, const ir::ModelNames* names);
  [[nodiscard]] std::vector<Row> rows_of(const Kind& kind) const;
  [[nodiscard]] NameGroup answer_of(const Kind& kind, std::size_t at) const;
  [[nodiscard]] std::string names_text(const Kind& kind, bool all) const;
  [[nodiscard]] std::string verdict(const Kind& kind, std::size_t at, const Row& row) const;

  const ir::Recipe& recipe_;
  std::vector<Kind> kinds_;
  bool complete_ = true;
};

}  // namespace sparsecfg::match
