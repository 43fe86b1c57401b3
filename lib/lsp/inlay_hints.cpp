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

// --- presets ------------------------------------------------------------------------------------------

// Returns the description of a preset of schemes, without its period, or an empty string.
static std::string_view doc_of_preset(const std::vector<dialect::Page>& pages, const std::string& name) {
  for (const dialect::Page& page : pages) {
    const auto preset = std::ranges::find(page.fields, base::to_upper(name), &dialect::FieldPage::name);
    if (preset == page.fields.end()) continue;
    return preset->doc.ends_with('.') ? preset->doc.substr(0, preset->doc.size() - 1) : preset->doc;
  }
  return {};
}

// Returns the place after a value that follows its key closely, and after its quotes.
static std::optional<std::uint32_t> place_after(std::string_view text, Span key, std::string_view value) {
  constexpr std::size_t kMaxDistance = 16;  // ` = \"` in a notebook
  const std::size_t at = text.find(value, key.end);
  if (key.empty() || at == std::string_view::npos || at - key.end > kMaxDistance) {
    return std::nullopt;
  }
  const std::size_t end = text.find_first_not_of("\\\"'", at + value.size());
  return static_cast<std::uint32_t>(std::min(end, text.size()));
}

// Adds what a preset means, such as "int4 weights in groups of 128", in recipes, scripts and notebooks.
static void add_presets(const std::vector<ir::Origin>& origins, const dialect::Dialect& dialect,
                        const Document& document, Span asked, Json& out) {
  const std::vector<dialect::Page> pages = pages_of_class(dialect, "presets");
  for (const ir::Origin& origin : pages.empty() ? std::vector<ir::Origin>() : origins) {
    const ir::OriginField* field = origin.find("scheme");
    const auto* name = field == nullptr ? nullptr : field->value.get<std::string>();
    const std::string_view doc = name == nullptr ? std::string_view() : doc_of_preset(pages, *name);
    const auto place = doc.empty() ? std::nullopt : place_after(document.text().bytes(), field->key, *name);
    if (!place || *place < asked.begin || asked.end < *place || out.size() >= limits::kMaxHints) continue;
    out.push_back({{"position", to_json(document.text().position(*place))}, {"label", doc}, {"paddingLeft", true}});
  }
}

static std::vector<ir::Origin> origins_of(const Document& document) {
  std::vector<ir::Origin> out;
  for (const ir::FoundRecipe& recipe : document.found()) {
    out.insert(out.end(), recipe.modifiers.begin(), recipe.modifiers.end());
  }
  const bool is_recipe = document.found().empty() && document.is_current();
  if (!is_recipe || document.reading()->dialect == nullptr || document.reading()->dialect->trains) return out;
  for (const ir::Action& action : document.reading()->compilation.recipe->actions) out.push_back(action.origin);
  return out;
}

Json inlay_hints(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const Span asked = document.text().span(read_range(params.at("range")));
  const Reading* good = document.found().empty() ? document.good() : nullptr;
  Json out = good == nullptr ? Json::array() : Hints(document, *good, workspace.options_of(document), asked).run();
  const dialect::Dialect* dialect =
      document.found().empty() ? (good == nullptr ? nullptr : good->dialect) : document.dialect_of_found();
  if (dialect != nullptr) add_presets(origins_of(document), *dialect, document, asked, out);
  return out;
}

}  // namespace sparsecfg::lsp
