#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "lsp/features.h"
#include "lsp/tree.h"
#include "lsp/words.h"

namespace sparsecfg::lsp {

using source::Span;

// Maximum length of a value in a hint. Only hovers show longer values.
constexpr std::size_t kMaxValue = 40;

class Hints {
 public:
  Hints(Document& document, const Reading& reading, const project::FileOptions& options, Span asked)
      : document_(document), reading_(reading), options_(options), asked_(asked) {}

  [[nodiscard]] Json run() {
    const ir::Recipe& recipe = *reading_.compilation.recipe;
    for (const ir::Variable& variable : recipe.variables) {
      add_value(value_of(variable.key), variable.value);
    }
    for (const ir::Action& action : recipe.actions) {
      for (const ir::OriginField& field : action.origin.fields) {
        if (field.evaluated) add_value(value_of(field.key), field.value);
      }
    }
    add_last_updates(recipe);
    return std::move(out_);
  }

 private:
  // Returns the value of a key, or null.
  [[nodiscard]] const doc::Node* value_of(Span key) const {
    const doc::Document& tree = *reading_.tree;
    const std::vector<Step> steps = steps_to(tree, *reading_.spans, key.begin);
    if (steps.size() < 2 || !steps.back().is_key) {
      return nullptr;
    }
    const doc::Node& mapping = tree[steps[steps.size() - 2].node];
    const std::size_t value = steps.back().item + 1;
    return value < mapping.items.size() ? &tree[mapping.items[value]] : nullptr;
  }

  void add_value(const doc::Node* node, const source::Value& value) {
    if (node == nullptr || node->kind != doc::Kind::scalar || !asked_place(node->span.end) ||
        node->text.find("eval(") == std::string_view::npos) {
      return;
    }
    const std::string text = value_text(value);
    if (text.size() <= kMaxValue && text != node->text) add(node->span.end, "= " + text);
  }

  // Adds the actual last update of each pruner after the end of its window.
  void add_last_updates(const ir::Recipe& recipe) {
    const Schedule* schedule = document_.schedule(options_);
    for (std::size_t at = 0; schedule != nullptr && at < recipe.actions.size(); ++at) {
      const ir::Action& action = recipe.actions[at];
      const bool ramps = std::holds_alternative<ir::Prune>(action.effect) && action.cadence.every();
      const Span end = action.cadence.end.span;
      const std::uint32_t place = end.empty() ? action.origin.span.end : end.end;
      const std::string last = ramps && asked_place(place) ? last_update(*schedule, at) : "";
      if (!last.empty()) add(place, last);
    }
  }

  // Returns the place in the text if a hint is asked for there.
  [[nodiscard]] std::optional<std::uint32_t> asked_place(std::uint32_t offset) const {
    const auto place = document_.to_text({offset, offset});
    const bool is_asked = place && asked_.begin <= place->begin && place->begin <= asked_.end;
    return is_asked && out_.size() < limits::kMaxHints ? std::optional(place->begin) : std::nullopt;
  }

  void add(std::uint32_t offset, const std::string& label) {
    if (const auto place = asked_place(offset)) {
      out_.push_back({{"position", to_json(document_.text().position(*place))},
                      {"label", base::printable(label)},
                      {"paddingLeft", true}});
    }
  }

  Document& document_;
  const Reading& reading_;
  const project::FileOptions& options_;
  Span asked_;
  Json out_ = Json::array();
};

Json inlay_hints(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const Span asked = document.text().span(read_range(params.at("range")));
  const Reading* good = document.good();
  return good == nullptr ? Json::array() : Hints(document, *good, workspace.options_of(document), asked).run();
}

}  // namespace sparsecfg::lsp
