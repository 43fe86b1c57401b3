#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "diag/catalog.h"
#include "dialect/schemes/presets.h"
#include "ir/describe.h"
#include "lsp/features.h"
#include "lsp/schema.h"
#include "lsp/tree.h"
#include "lsp/words.h"

namespace sparsecfg::lsp {

using source::Span;

// Text of a hover and the span to which it refers.
struct Hover {
  Span span;
  std::string text;
};

constexpr const char* kUnknownModel =
    "Unknown model: set `model: NAME`, an id or a folder, in `.sparsecfg.yaml` to list matches.";

static bool is_inside(Span span, std::uint32_t offset) { return span.begin <= offset && offset < span.end; }

static std::string page_text(const dialect::Page& page) {
  return fmt::format("**{}** ({})\n\n{}", page.name, page.reader, page.doc);
}

static std::string field_text(const dialect::FieldPage& field) {
  return fmt::format("**{}**\n\n{}{}", field.name, field.doc,
                     field.facts.empty() ? "" : fmt::format("\n\n*{}*", fmt::join(field.facts, "; ")));
}

// Returns the hover for a rule code, in suppression comments and config files.
static std::optional<Hover> hover_code(const std::string& text, std::uint32_t offset) {
  const Span word = word_at(text, offset);
  const std::string_view code = std::string_view(text).substr(word.begin, word.end - word.begin);
  const diag::Info* info = diag::find(code);
  if (info == nullptr || info->code != code) {
    return std::nullopt;
  }
  const std::string url = diag::url_of(*info, base::docs_address());
  return Hover{word, fmt::format("**{}** {} ({})\n\n{}{}", info->code, info->name, diag::to_string(info->severity),
                                 info->explanation, url.empty() ? "" : fmt::format("\n\n[Documentation]({})", url))};
}

// Returns the text for a value of a field, or nullopt if it is none of the known values.
static std::optional<std::string> value_hover(const std::string& field, const std::string& value,
                                              const std::vector<std::string>& known) {
  const auto* preset = dialect::schemes::find_preset(value);
  const auto is_value = [&](const std::string& each) { return base::to_lower(each) == base::to_lower(value); };
  const bool is_preset = preset != nullptr && (field == "scheme" || std::ranges::any_of(known, is_value));
  if (is_preset) return fmt::format("**{}** (scheme)\n\n{}", preset->name, preset->doc);
  if (value.empty() || std::ranges::none_of(known, is_value)) return std::nullopt;
  constexpr std::size_t kMaxShown = 12;
  std::vector<std::string> others;
  for (const std::string& each : known) {
    if (!is_value(each) && each != "null" && others.size() < kMaxShown) others.push_back("`" + each + "`");
  }
  return fmt::format("**{}** (value of `{}`){}", base::printable(value), base::printable(field),
                     others.empty() ? "" : fmt::format("\n\nOther values: {}", fmt::join(others, ", ")));
}

// Finds the hover for a position in a reading.
class RecipeHover {
 public:
  // `schema` is the JSON Schema of the dialect, or null.
  RecipeHover(Document& document, const Reading& reading, const project::FileOptions& options, const Json* schema)
      : document_(document),
        reading_(reading),
        options_(options),
        schema_(schema),
        recipe_(*reading.compilation.recipe),
        text_(reading.compilation.file->text()) {}

  // Returns the hover of the innermost part that has one. If the span of a class is the whole entry, its parts come
  // first.
  [[nodiscard]] std::optional<Hover> at(std::uint32_t offset) const {
    const auto& actions = recipe_.actions;
    const auto around =
        std::ranges::find_if(actions, [&](const auto& each) { return is_inside(each.origin.span, offset); });
    const auto index = static_cast<std::size_t>(around - actions.begin());
    if (around != actions.end() && is_name_of_class(*around)) return class_at(index);
    for (const ir::Action& action : actions) {
      if (auto found = in_action(action, offset)) return found;
    }
    if (auto variable = in_variables(offset)) return variable;
    if (auto found = word(offset)) return found;
    if (auto found = value_at(offset)) return found;
    return around == actions.end() ? std::nullopt : std::optional(class_at(index));
  }

 private:
  [[nodiscard]] bool is_name_of_class(const ir::Action& action) const {
    const Span span = action.origin.span;
    return text_.substr(span.begin, span.end - span.begin).find(action.origin.class_name) != text_.npos &&
           span.end - span.begin <= action.origin.class_name.size() + 1;
  }

  [[nodiscard]] Hover class_at(std::size_t index) const {
    return {recipe_.actions[index].origin.span, class_text(index)};
  }

  [[nodiscard]] std::optional<Hover> in_action(const ir::Action& action, std::uint32_t offset) const {
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      for (const auto* terms : {&selector->terms, &selector->excluded.items()}) {
        for (const model::Term& term : *terms) {
          if (is_inside(term.span, offset)) return Hover{term.span, term_text(*selector, term)};
        }
      }
    }
    for (const ir::OriginField& field : action.origin.fields) {
      if (is_inside(field.key, offset)) return hover_field(action, field);
    }
    return entry_at(action, offset);
  }

  // Returns the hover for an entry that selects modules: those that it decides.
  [[nodiscard]] std::optional<Hover> entry_at(const ir::Action& action, std::uint32_t offset) const {
    for (const ir::Operation& operation : action.operations) {
      const auto& rules = ir::selection_of(operation).rules;
      const auto rule = std::ranges::find_if(rules, [&](const ir::Rule& each) { return is_inside(each.span, offset); });
      if (rule == rules.end()) continue;
      const auto number = static_cast<std::uint32_t>(rule - rules.begin());
      const auto decided = decided_by(operation, number, recipe_, options_.compile);
      return Hover{rule->span,
                   fmt::format("`{}`\n\n{}", base::printable(rule->entry), decided.value_or(kUnknownModel))};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string class_text(std::size_t index) const {
    const ir::Action& action = recipe_.actions[index];
    const auto found = pages(action.origin.class_name);
    std::string out =
        found.empty() ? fmt::format("**{}**", base::printable(action.origin.class_name)) : page_text(found.front());
    if (action.valid && recipe_.trains) out += "\n\n" + ir::describe(action);
    const Schedule* schedule = document_.schedule(options_);
    const std::string last = schedule != nullptr ? last_update(*schedule, index) : "";
    return last.empty() ? out : out + "; " + last;
  }

  // Returns the hover for a field. If the pages of its class do not contain it, looks it up like any other word.
  [[nodiscard]] std::optional<Hover> hover_field(const ir::Action& action, const ir::OriginField& field) const {
    std::optional<Hover> out = page_field(pages(action.origin.class_name), field.name, field.key);
    if (!out) out = word(field.key.begin);
    if (out && field.evaluated) out->text += fmt::format("\n\nvalue: `{}`", value_text(field.value));
    return out;
  }

  static std::optional<Hover> page_field(const std::vector<dialect::Page>& pages, std::string_view name, Span place) {
    for (const dialect::Page& page : pages) {
      for (const dialect::FieldPage& field : page.fields) {
        if (field.name == name) return Hover{place, field_text(field)};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string term_text(const model::Selector& selector, const model::Term& term) const {
    const std::string name = fmt::format("`{}`", base::printable(term.text));
    const auto matches = matches_of(selector, term, options_.compile);
    return name + "\n\n" + matches.value_or(kUnknownModel);
  }

  [[nodiscard]] std::optional<Hover> in_variables(std::uint32_t offset) const {
    const Span at = word_at(text_, offset);
    const std::string_view name = text_.substr(at.begin, at.end - at.begin);
    for (const ir::Variable& variable : recipe_.variables) {
      const bool is_use = name == variable.name && is_in_expression(offset);
      if (is_inside(variable.key, offset) || is_use) {
        return Hover{at, fmt::format("**{}** = `{}`\n\nRecipe variable.", base::printable(variable.name),
                                     value_text(variable.value))};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_in_expression(std::uint32_t offset) const {
    const doc::Node& node = (*reading_.tree)[steps_to(*reading_.tree, *reading_.spans, offset).back().node];
    return node.kind == doc::Kind::scalar && node.text.find("eval(") != std::string_view::npos;
  }

  // Returns the hover for one of the known values of a field, such as a preset scheme.
  [[nodiscard]] std::optional<Hover> value_at(std::uint32_t offset) const {
    const std::vector<Step> steps = steps_to(*reading_.tree, *reading_.spans, offset);
    const doc::Node& node = (*reading_.tree)[steps.back().node];
    if (schema_ == nullptr || steps.back().is_key || node.kind != doc::Kind::scalar) return std::nullopt;
    const SchemaPlace place = SchemaPlace::of_step(*schema_, *reading_.tree, steps);
    for (std::size_t at = steps.size(); at-- > 1;) {
      if (!steps[at].key) continue;
      const std::string field((*reading_.tree)[*steps[at].key].text);
      const auto text = value_hover(field, std::string(node.text), place.values());
      return text ? std::optional(Hover{node.span, *text}) : std::nullopt;
    }
    return std::nullopt;
  }

  // Returns the hover for a word: a field of the enclosing class, a class or key with a page, or a key of the schema.
  [[nodiscard]] std::optional<Hover> word(std::uint32_t offset) const {
    const Span at = word_at(text_, offset);
    const std::string_view name = text_.substr(at.begin, at.end - at.begin);
    const std::vector<Step> steps = steps_to(*reading_.tree, *reading_.spans, offset);
    if (steps.back().is_key) {
      const auto around = pages(class_of(*reading_.tree, steps[steps.size() - 2]));
      if (auto found = page_field(around, name, at)) return found;
    }
    if (const auto found = pages(name); !found.empty()) {
      const dialect::Page& page = found.front();
      return page.fields.size() == 1 && page.fields.front().name == name ? page_field(found, name, at)
                                                                         : Hover{at, page_text(page)};
    }
    return steps.back().is_key ? schema_field(steps, name, at) : std::nullopt;
  }

  [[nodiscard]] std::optional<Hover> schema_field(std::span<const Step> steps, std::string_view name, Span at) const {
    if (schema_ == nullptr) return std::nullopt;
    const SchemaPlace place = SchemaPlace::of_step(*schema_, *reading_.tree, steps.first(steps.size() - 1));
    for (const SchemaPlace::Field& field : place.fields()) {
      if (field.name == name && !field.doc.empty()) return Hover{at, fmt::format("**{}**\n\n{}", name, field.doc)};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<dialect::Page> pages(std::string_view name) const {
    return reading_.dialect == nullptr || name.empty() ? std::vector<dialect::Page>()
                                                       : pages_of_class(*reading_.dialect, name);
  }

  Document& document_;
  const Reading& reading_;
  const project::FileOptions& options_;
  const Json* schema_;
  const ir::Recipe& recipe_;
  std::string_view text_;
};

// Returns true if a position is in the call of a modifier, in a key or in a value of its fields.
static bool is_in_modifier(const ir::Origin& modifier, std::uint32_t offset) {
  return is_inside(modifier.span, offset) || std::ranges::any_of(modifier.fields, [&](const ir::OriginField& field) {
           return is_inside(field.key, offset) || is_inside(field.value.span, offset);
         });
}

// Returns the hover for a word in an entry: the field of its class with this name, or else the class.
static Hover hover_word(const Document& document, std::uint32_t offset, const dialect::Page& page, Span entry) {
  const std::string& text = document.text().bytes();
  const Span word = word_at(text, offset);
  const std::string_view name = std::string_view(text).substr(word.begin, word.end - word.begin);
  const auto field = std::ranges::find(page.fields, name, &dialect::FieldPage::name);
  return field == page.fields.end() ? Hover{entry, page_text(page)} : Hover{word, field_text(*field)};
}

// Returns the hover for a modifier in a script, a notebook or a page: its class, or the field under the cursor.
static std::optional<Hover> hover_found(const Document& document, std::uint32_t offset) {
  const dialect::Dialect* dialect = document.dialect_of_found();
  for (const ir::FoundRecipe& recipe : document.found()) {
    for (const ir::Origin& modifier : recipe.modifiers) {
      if (!is_in_modifier(modifier, offset)) continue;
      const auto pages =
          dialect == nullptr ? std::vector<dialect::Page>() : pages_of_class(*dialect, modifier.class_name);
      if (pages.empty()) continue;
      for (const ir::OriginField& field : modifier.fields) {
        const auto page = std::ranges::find(pages.front().fields, field.name, &dialect::FieldPage::name);
        if (is_inside(field.key, offset) && page != pages.front().fields.end())
          return Hover{field.key, field_text(*page)};
        const auto* value = field.value.get<std::string>();
        if (value == nullptr || !is_inside(field.value.span, offset)) continue;
        if (auto text = value_hover(field.name, *value, {})) return Hover{field.value.span, *text};
      }
      if (is_inside(modifier.span, offset)) return hover_word(document, offset, pages.front(), modifier.span);
    }
  }
  return std::nullopt;
}

// Returns the hover for a key of a config file.
static std::optional<Hover> hover_setting(const Document& document, std::uint32_t offset, const doc::Limits& limits) {
  const source::SourceFile file(document.path(), document.text().bytes());
  const auto tree = read_tree(file, limits);
  if (!tree) return std::nullopt;
  const std::vector<Step> steps = steps_to(*tree, NodeSpans(file.text(), *tree), offset);
  if (!steps.back().is_key) return std::nullopt;
  const doc::Node& key = (*tree)[steps.back().node];
  const auto fields = SchemaPlace::of_step(settings_schema(), *tree, std::span(steps).first(steps.size() - 1)).fields();
  const auto field = std::ranges::find(fields, key.text, &SchemaPlace::Field::name);
  return field == fields.end() ? std::nullopt
                               : std::optional(Hover{key.span, fmt::format("**{}**\n\n{}", field->name, field->doc)});
}

Json hover(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  std::optional<Hover> found = hover_code(document.text().bytes(), offset);
  if (!found && is_settings(document.path())) {
    found = hover_setting(document, offset, workspace.options_of(document).compile.limits);
  }
  if (!found) found = hover_found(document, offset);
  const auto place = document.to_good(offset);
  if (const Reading* good = found || !place ? nullptr : document.good()) {
    const bool has_schema = good->dialect != nullptr && good->dialect->schema != nullptr;
    const Json* schema = has_schema ? &workspace.schema_of(*good->dialect, document) : nullptr;
    found = RecipeHover(document, *good, workspace.options_of(document), schema).at(*place);
    const auto span = found ? document.to_text(found->span) : std::nullopt;
    if (!span) return {};
    found->span = *span;
  }
  if (!found) {
    return {};
  }
  return {{"contents", markdown(found->text)}, {"range", to_json(document.text().range(found->span))}};
}

}  // namespace sparsecfg::lsp
