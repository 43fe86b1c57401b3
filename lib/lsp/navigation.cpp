#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lsp/features.h"
#include "lsp/tree.h"

namespace sparsecfg::lsp {

using doc::Kind;
using doc::Node;
using doc::NodeId;
using source::Span;

constexpr std::string_view kExpression = "eval(";

// A variable or an anchor with the spans of its definition and uses, without `&` and `*`.
struct Symbol {
  std::string name;
  bool is_anchor = false;
  Span definition;
  std::vector<Span> uses;
};

// Finds the variable or anchor at a position in a reading.
class SymbolFinder {
 public:
  explicit SymbolFinder(const Reading& reading)
      : reading_(reading), tree_(*reading.tree), text_(reading.compilation.file->text()), places_(text_, tree_) {}

  [[nodiscard]] std::optional<Symbol> at(std::uint32_t offset) const {
    for (std::size_t id = 0; id < tree_.nodes.size(); ++id) {
      const Node& node = tree_.nodes[id];
      if (node.kind == Kind::alias && contains(node.span, offset)) return anchor(node.target);
      if (contains(node.anchor_span, offset)) return anchor(static_cast<NodeId>(id));
    }
    for (const ir::Variable& variable : variables()) {
      Symbol symbol = uses_of(variable);
      const bool is_used_here = std::ranges::any_of(symbol.uses, [&](Span use) { return contains(use, offset); });
      if (is_used_here || contains(symbol.definition, offset)) return symbol;
    }
    return std::nullopt;
  }

  // Returns true if another variable or anchor with this name exists.
  [[nodiscard]] bool is_taken(const Symbol& symbol, std::string_view name) const {
    if (symbol.is_anchor) {
      return std::ranges::any_of(tree_.nodes, [&](const Node& node) {
        return !node.anchor_span.empty() && places_.text(node.anchor_span.begin + 1, node.anchor_span.end) == name;
      });
    }
    return std::ranges::any_of(variables(), [&](const ir::Variable& each) { return each.name == name; });
  }

 private:
  static bool contains(Span span, std::uint32_t offset) {
    return !span.empty() && span.begin <= offset && offset <= span.end;
  }

  [[nodiscard]] std::span<const ir::Variable> variables() const {
    const bool any = reading_.dialect != nullptr && reading_.dialect->variables;
    return any ? std::span<const ir::Variable>(reading_.compilation.recipe->variables)
               : std::span<const ir::Variable>();
  }

  [[nodiscard]] std::optional<Symbol> anchor(NodeId target) const {
    const Span whole = tree_[target].anchor_span;
    if (whole.empty()) {
      return std::nullopt;
    }
    Symbol symbol{std::string(places_.text(whole.begin + 1, whole.end)), true, {whole.begin + 1, whole.end}, {}};
    for (const Node& node : tree_.nodes) {
      if (node.kind == Kind::alias && node.target == target)
        symbol.uses.push_back({node.span.begin + 1, node.span.end});
    }
    return symbol;
  }

  // Finds the visible variable. A variable of a stage hides a global one with the same name.
  [[nodiscard]] Symbol uses_of(const ir::Variable& variable) const {
    Symbol symbol{variable.name, false, variable.key, {}};
    for (std::size_t id = 0; id < tree_.nodes.size(); ++id) {
      const Node& node = tree_.nodes[id];
      if (node.kind != Kind::scalar || node.text.find(kExpression) == std::string_view::npos) continue;
      for (const Span use : words_in(text_, node.span, variable.name)) {
        if (is_seen_from(variable, use.begin)) symbol.uses.push_back(use);
      }
    }
    return symbol;
  }

  [[nodiscard]] bool is_seen_from(const ir::Variable& variable, std::uint32_t offset) const {
    std::vector<std::string_view> keys;
    for (const Step& step : steps_to(tree_, places_, offset)) {
      if (step.key) keys.push_back(tree_[*step.key].text);
    }
    const auto is_in = [&](const std::string& stage) { return std::ranges::find(keys, stage) != keys.end(); };
    if (!variable.stage.empty()) {
      return is_in(variable.stage);
    }
    return std::ranges::none_of(variables(), [&](const ir::Variable& other) {
      return other.name == variable.name && !other.stage.empty() && is_in(other.stage);
    });
  }

  const Reading& reading_;
  const doc::Document& tree_;
  std::string_view text_;
  doc::Places places_;
};

// Returns the variable or anchor at the position of a request, with spans in the current text.
static std::optional<Symbol> symbol_of(Document& document, const Json& params) {
  const auto offset = document.to_good(document.text().offset(read_position(params.at("position"))));
  const Reading* good = offset ? document.good() : nullptr;
  auto symbol = good == nullptr ? std::nullopt : SymbolFinder(*good).at(*offset);
  const auto definition = symbol ? document.to_text(symbol->definition) : std::nullopt;
  if (!definition) {
    return std::nullopt;
  }
  symbol->definition = *definition;
  std::vector<Span> uses;
  for (const Span use : symbol->uses) {
    if (const auto moved = document.to_text(use)) uses.push_back(*moved);
  }
  symbol->uses = std::move(uses);
  return symbol;
}

static Json location(const Document& document, Span span) {
  return {{"uri", document.uri()}, {"range", to_json(document.text().range(span))}};
}

Json definition(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const auto symbol = symbol_of(document, params);
  return symbol ? location(document, symbol->definition) : Json();
}

Json references(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const auto symbol = symbol_of(document, params);
  Json out = Json::array();
  if (symbol && params.value("context", Json::object()).value("includeDeclaration", true)) {
    out.push_back(location(document, symbol->definition));
  }
  for (std::size_t at = 0; symbol && at < symbol->uses.size(); ++at) {
    out.push_back(location(document, symbol->uses[at]));
  }
  return out;
}

// --- rename -----------------------------------------------------------------------------------------

static bool is_name(std::string_view text, bool is_anchor) {
  const auto fits = [&](char c) {
    return base::is_letter(c) || base::is_digit(c) || c == '_' || (is_anchor && c == '-');
  };
  return !text.empty() && std::ranges::all_of(text, fits) && (is_anchor || !base::is_digit(text.front()));
}

static std::vector<Span> places_of(const Symbol& symbol) {
  std::vector<Span> places = symbol.uses;
  places.push_back(symbol.definition);
  std::ranges::sort(places);
  return places;
}

Json prepare_rename(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  const auto symbol = document.is_current() ? symbol_of(document, params) : std::nullopt;
  for (const Span place : symbol ? places_of(*symbol) : std::vector<Span>()) {
    if (place.begin <= offset && offset <= place.end) {
      return {{"range", to_json(document.text().range(place))}, {"placeholder", symbol->name}};
    }
  }
  return {};
}

[[noreturn]] static void refuse(std::string why) { throw RequestError{ErrorCode::request_failed, std::move(why)}; }

static std::vector<std::string_view> errors_of(const Compilation& compilation) {
  std::vector<std::string_view> codes;
  for (const diag::Diagnostic& finding : compilation.diagnostics) {
    if (finding.severity == diag::Severity::error) codes.push_back(finding.info->code);
  }
  std::ranges::sort(codes);
  return codes;
}

// Returns true if two recipes have the same meaning. In a recipe with errors, expressions may be unevaluated, so only
// the errors are compared.
static bool are_equivalent(const Compilation& before, const Compilation& after) {
  return after.recipe &&
         (before.runs() ? before.recipe->actions == after.recipe->actions : errors_of(before) == errors_of(after));
}

// Throws if the rename would change the meaning. The search for uses may miss some, so the renamed recipe is compiled
// and compared.
static void check_schedule(const Document& document, const std::vector<Span>& places, const std::string& name,
                           CompileOptions options) {
  options.skip_unknown = true;
  std::string text = document.text().bytes();
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    text.replace(place->begin, place->end - place->begin, name);
  }
  const Compilation before = compile(document.path(), document.text().bytes(), options);
  if (!are_equivalent(before, compile(document.path(), std::move(text), options))) {
    refuse(fmt::format("renaming to `{}` would change the meaning of the recipe", name));
  }
}

Json rename(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const auto name = params.at("newName").get<std::string>();
  const auto symbol = symbol_of(document, params);
  if (!symbol) refuse("no variable or anchor at this position");
  if (!document.is_current()) refuse("the recipe cannot be read; fix its errors before renaming");
  if (!is_name(name, symbol->is_anchor)) refuse(fmt::format("`{}` is not a valid name", base::printable(name)));
  const Reading& reading = *document.good();
  if (name != symbol->name && SymbolFinder(reading).is_taken(*symbol, name)) {
    refuse(fmt::format("`{}` already exists", name));
  }
  const std::vector<Span> places = places_of(*symbol);
  check_schedule(document, places, name, workspace.options_of(document).compile);
  Json edits = Json::array();
  for (const Span place : places) edits.push_back(edit_json(document.text().range(place), name));
  return {{"changes", {{document.uri(), std::move(edits)}}}};
}

}  // namespace sparsecfg::lsp
