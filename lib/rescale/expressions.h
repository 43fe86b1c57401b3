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

// The `eval(...)` of a recipe and its variables. Each part of an expression either is a time, which grows with the
// factor, or it is none: both sides of a sum are alike, and of a product one factor alone can be a time. What is known
// of the whole so settles which variables and which numbers have to change.
class Expressions {
 public:
  // All must outlive it.
  Expressions(const Scalars& scalars, const ir::Recipe& recipe, const Factor& factor);

  // Says what the expression at a place is. Those that are no times have to be named first.
  void demand(source::Span place, const std::string& stage, bool time);

  // The edits that multiply the times and keep everything else.
  [[nodiscard]] std::vector<format::Edit> settle();

  // After settle(): the variables whose numbers are multiplied.
  [[nodiscard]] const std::vector<const ir::Variable*>& multiplied() const { return multiplied_; }

 private:
  struct Text {
    const doc::Node* scalar = nullptr;
    std::string stage;
    python::Node tree;
    std::map<std::uint32_t, std::pair<std::size_t, std::string>> changes;  // by offset: a length and the new text
    bool wrapped = false;                                                  // true if the whole of it is multiplied
  };

  struct Variable {
    const ir::Variable* written = nullptr;
    std::optional<bool> time;
  };

  // A product or a quotient of which it is not known yet which side is a time.
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
  std::vector<format::Edit> numbers_;  // of variables
  std::vector<const ir::Variable*> multiplied_;
};

}  // namespace sparsecfg::rescale
