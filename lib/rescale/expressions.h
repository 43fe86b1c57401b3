#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/recipe.h"
#include "python/tree.h"
#include "rescale/factor.h"
#include "rescale/scalars.h"

namespace sparsecfg::rescale {

// Scales the times in the `eval(...)` expressions of a recipe and in its variables. Each part of an expression either
// is a time, which is scaled by the factor, or it is not. Both sides of a sum are of the same kind. At most one factor
// of a product is a time. These constraints determine which variables and numbers change.
class Expressions {
 public:
  // All arguments must outlive this object.
  Expressions(const Scalars& scalars, const ir::Recipe& recipe, const Factor& factor);

  // Requires the expression at a place to be a time or not. Call it first for all expressions that are not times.
  void require(source::Span place, const std::string& stage, bool time);

  // Returns the edits that scale the times and keep everything else.
  [[nodiscard]] std::vector<format::Edit> solve();

  // Returns the variables whose numbers are scaled. Valid after solve().
  [[nodiscard]] const std::vector<const ir::Variable*>& multiplied() const { return multiplied_; }

 private:
  struct Text {
    const doc::Node* scalar = nullptr;
    std::string stage;
    python::Node tree;
    std::map<std::uint32_t, std::pair<std::size_t, std::string>> changes;  // by offset: length and new text
    bool wrapped = false;                                                  // true if the whole expression is multiplied
  };

  struct Variable {
    const ir::Variable* written = nullptr;
    std::optional<bool> time;
  };

  // A product or quotient whose operands are not yet known to be times or not.
  struct Open {
    Text* text;
    const python::Node* node;
    bool time;
  };

  [[nodiscard]] Text* text_at(source::Span place, const std::string& stage);
  [[nodiscard]] Variable* find(const std::string& stage, const std::string& name);
  void visit(Text& text, const python::Node& node, bool time);
  void visit_name(Text& text, const python::Node& node, bool time);
  void visit_call(Text& text, const python::Node& node, bool time);
  bool visit_product(Text& text, const python::Node& node, bool time);
  bool visit_quotient(Text& text, const python::Node& node, bool time);
  void guess(const Open& open);
  void assign(Variable& variable, bool time);
  [[nodiscard]] std::optional<bool> known(const Text& text, const python::Node& node);
  [[nodiscard]] std::pair<bool, double> rank(const Text& text, const python::Node& node);
  [[nodiscard]] std::string content_of(const Text& text) const;

  const Scalars& scalars_;
  const Factor& factor_;
  std::map<std::pair<std::string, std::string>, Variable> variables_;  // by stage and name
  std::map<source::Span, Text> texts_;
  std::deque<Open> open_;
  std::vector<format::Edit> numbers_;  // edits of variables
  std::vector<const ir::Variable*> multiplied_;
};

}  // namespace sparsecfg::rescale
