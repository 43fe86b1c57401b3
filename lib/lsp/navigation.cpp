#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/limits.h"
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
      : reading_(reading), tree_(*reading.tree), text_(reading.compilation.file->text()) {}

  [[nodiscard]] std::optional<Symbol> at(std::uint32_t offset) const {
    for (std::size_t id = 0; id < tree_.nodes.size(); ++id) {
      const Node& node = tree_.nodes[id];
      if (node.kind == Kind::alias && contains(node.span, offset)) return anchor(node.target);
      if (contains(node.anchor_span, offset)) return anchor(static_cast<NodeId>(id));
    }
    const std::string_view name = text_of(word_at(text_, offset));
    const bool is_candidate = std::ranges::any_of(variables(), [&](const ir::Variable& variable) {
      return variable.name == name || contains(variable.key, offset);
    });
    if (!is_candidate) {
      return std::nullopt;
    }
    const Uses uses = all_uses();
    for (const ir::Variable& variable : variables()) {
      const auto found = uses.find({variable.name, variable.stage});
      const std::vector<Span> mine = found == uses.end() ? std::vector<Span>() : found->second;
      const bool is_used_here = variable.name == name && is_among(mine, offset);
      if (is_used_here || contains(variable.key, offset)) return Symbol{variable.name, false, variable.key, mine};
    }
    return std::nullopt;
  }

  // Returns true if another variable or anchor with this name exists.
  [[nodiscard]] bool is_taken(const Symbol& symbol, std::string_view name) const {
    if (symbol.is_anchor) {
      return std::ranges::any_of(tree_.nodes, [&](const Node& node) {
        return !node.anchor_span.empty() && text_of({node.anchor_span.begin + 1, node.anchor_span.end}) == name;
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
    Symbol symbol{std::string(text_of({whole.begin + 1, whole.end})), true, {whole.begin + 1, whole.end}, {}};
    for (const Node& node : tree_.nodes) {
      if (node.kind == Kind::alias && node.target == target)
        symbol.uses.push_back({node.span.begin + 1, node.span.end});
    }
    return symbol;
  }

  // Spans of uses in text order, by name and stage of the variable.
  using Uses = std::map<std::pair<std::string_view, std::string_view>, std::vector<Span>>;

  // Finds all uses. A variable of a stage hides a global one with the same name.
  [[nodiscard]] Uses all_uses() const {
    Uses uses;
    for (const ir::Variable& variable : variables()) uses.try_emplace({variable.name, variable.stage});
    for (const Node& node : tree_.nodes) {
      if (node.kind != Kind::scalar || node.text.find(kExpression) == std::string_view::npos) continue;
      for (std::uint32_t at = node.span.begin; at < node.span.end;) {
        const Span word = word_at(text_, at);
        if (!word.empty() && word.end <= node.span.end) add_use(word, uses);
        at = std::max(word.end, at) + 1;
      }
    }
    return uses;
  }

  void add_use(Span word, Uses& uses) const {
    const std::string_view name = text_of(word);
    const auto known = uses.lower_bound({name, ""});
    if (known == uses.end() || known->first.first != name) {
      return;
    }
    bool is_hidden = false;
    for (const Step& step : steps_to(tree_, *reading_.spans, word.begin)) {
      const auto of_stage = step.key ? uses.find({name, tree_[*step.key].text}) : uses.end();
      if (of_stage == uses.end()) continue;
      if (of_stage->second.empty() || of_stage->second.back() != word) of_stage->second.push_back(word);
      is_hidden = true;
    }
    const auto global = is_hidden ? uses.end() : uses.find({name, ""});
    if (global != uses.end()) global->second.push_back(word);
  }

  // `spans` are in the order of the text.
  static bool is_among(const std::vector<Span>& spans, std::uint32_t offset) {
    const auto next = std::ranges::lower_bound(spans, offset, {}, &Span::end);
    return next != spans.end() && contains(*next, offset);
  }

  [[nodiscard]] std::string_view text_of(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  const Reading& reading_;
  const doc::Document& tree_;
  std::string_view text_;
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
  for (std::size_t at = 0; symbol && at < std::min(symbol->uses.size(), limits::kMaxUses); ++at) {
    out.push_back(location(document, symbol->uses[at]));
  }
  return out;
}

// --- rename -----------------------------------------------------------------------------------------

static bool is_name(std::string_view text, bool is_anchor) {
  const auto fits = [&](char c) { return base::is_name_letter(c) || (is_anchor && c == '-'); };
  return !text.empty() && std::ranges::all_of(text, fits) && (is_anchor || !base::is_digit(text.front()));
}

static std::vector<Span> places_of(const Symbol& symbol) {
  std::vector<Span> places = symbol.uses;
  places.push_back(symbol.definition);
  std::ranges::sort(places);
  return places;
}

// Returns the occurrences of the word at a place, such as a class or the name of a layer.
static std::vector<Span> same_words(std::string_view text, std::uint32_t offset) {
  constexpr std::size_t kShortest = 3;
  const Span word = word_at(text, offset);
  std::vector<Span> out;
  if (word.end - word.begin < kShortest) return out;
  const std::string_view name = text.substr(word.begin, word.end - word.begin);
  for (std::size_t at = text.find(name); at != std::string_view::npos && out.size() < limits::kMaxUses;
       at = text.find(name, at + name.size())) {
    const Span found = word_at(text, static_cast<std::uint32_t>(at));
    if (found.begin == at && found.end == at + name.size()) out.push_back(found);
  }
  return out;
}

Json highlights(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  const auto symbol = document.is_current() ? symbol_of(document, params) : std::nullopt;
  Json out = Json::array();
  for (const Span place : symbol ? places_of(*symbol) : same_words(document.text().bytes(), offset)) {
    out.push_back({{"range", to_json(document.text().range(place))}, {"kind", 1}});
  }
  return out;
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

static std::vector<std::string_view> errors_in(std::span<const diag::Diagnostic> findings) {
  std::vector<std::string_view> codes;
  for (const diag::Diagnostic& finding : findings) {
    if (finding.severity == diag::Severity::error) codes.push_back(finding.info->code);
  }
  std::ranges::sort(codes);
  return codes;
}

// Returns true if two recipes have the same meaning. In a recipe with errors, expressions may be unevaluated, so only
// the errors are compared.
static bool are_equivalent(const Document& document, const Compilation& before, const Compilation& after) {
  return before.runs() ? after.recipe && before.recipe->actions == after.recipe->actions
                       : errors_in(document.findings()) == errors_in(after.diagnostics);
}

// Throws if the rename would change the meaning. The search for uses may miss some, so the renamed recipe is compiled
// and compared.
static void check_schedule(const Document& document, const Reading& reading, const std::vector<Span>& places,
                           const std::string& name, CompileOptions options) {
  options.skip_unknown = true;
  const std::string& before = document.text().bytes();
  std::string text;
  std::size_t done = 0;
  for (const Span place : places) {
    text.append(before, done, place.begin - done).append(name);
    done = place.end;
  }
  text.append(before, done);
  if (!are_equivalent(document, reading.compilation, compile(document.path(), std::move(text), options))) {
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
  if (symbol->uses.size() > limits::kMaxUses)
    refuse(fmt::format("`{}` has more than {} uses", symbol->name, limits::kMaxUses));
  const std::vector<Span> places = places_of(*symbol);
  check_schedule(document, reading, places, name, workspace.options_of(document).compile);
  Json edits = Json::array();
  for (const Span place : places) edits.push_back(edit_json(document.text().range(place), name));
  return {{"changes", {{document.uri(), std::move(edits)}}}};
}

}  // namespace sparsecfg::lsp
