#include <algorithm>

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
  Hints(const Document& document, const Reading& reading, const project::FileOptions& options, Span asked)
      : document_(document),
        reading_(reading),
        options_(options),
        asked_(asked),
        places_(reading.compilation.file->text(), *reading.tree) {}

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
    const std::vector<Step> steps = steps_to(tree, places_, key.begin);
    if (steps.size() < 2 || !steps.back().is_key) {
      return nullptr;
    }
    const doc::Node& mapping = tree[steps[steps.size() - 2].node];
    const auto found = std::ranges::find(mapping.items, steps.back().node);
    return found == mapping.items.end() || found + 1 == mapping.items.end() ? nullptr : &tree[*(found + 1)];
  }

  void add_value(const doc::Node* node, const source::Value& value) {
    if (node == nullptr || node->kind != doc::Kind::scalar || node->text.find("eval(") == std::string_view::npos) {
      return;
    }
    const std::string text = value_text(value);
    if (text.size() <= kMaxValue && text != node->text) add(node->span.end, "= " + text);
  }

  // Adds the actual last update of each pruner after the end of its window.
  void add_last_updates(const ir::Recipe& recipe) {
    const auto schedule = reading_.compilation.runs() ? schedule_of(recipe, options_) : std::nullopt;
    for (std::size_t at = 0; schedule && at < recipe.actions.size(); ++at) {
      const ir::Action& action = recipe.actions[at];
      const bool ramps = std::holds_alternative<ir::Prune>(action.effect) && action.cadence.every();
      const std::string last = ramps ? last_update(*schedule, at) : "";
      const Span end = action.cadence.end.span;
      if (!last.empty()) add(end.empty() ? action.origin.span.end : end.end, last);
    }
  }

  void add(std::uint32_t offset, const std::string& label) {
    const auto place = document_.to_text({offset, offset});
    if (!place || place->begin < asked_.begin || place->begin > asked_.end) {
      return;
    }
    out_.push_back({{"position", to_json(document_.text().position(place->begin))},
                    {"label", base::printable(label)},
                    {"paddingLeft", true}});
  }

  const Document& document_;
  const Reading& reading_;
  const project::FileOptions& options_;
  Span asked_;
  doc::Places places_;
  Json out_ = Json::array();
};

Json inlay_hints(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const Span asked = document.text().span(read_range(params.at("range")));
  const Reading* good = document.good();
  return good == nullptr ? Json::array() : Hints(document, *good, workspace.options_of(document), asked).run();
}

}  // namespace sparsecfg::lsp
