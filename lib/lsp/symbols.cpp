#include "base/text.h"
#include "diff/describe.h"
#include "lsp/features.h"
#include "lsp/tree.h"

namespace sparsecfg::lsp {

using doc::Kind;
using doc::Node;
using doc::NodeId;
using source::Span;

// Values of `SymbolKind` in the protocol.
enum class SymbolKind : int { module = 2, class_ = 5, field = 8, variable = 13, array = 18, object = 19 };

// Number of levels in the outline: groups, modifiers and their fields.
constexpr int kMaxLevels = 4;

class Outline {
 public:
  Outline(const Document& document, const Reading& reading)
      : document_(document),
        reading_(reading),
        tree_(*reading.tree),
        places_(reading.compilation.file->text(), tree_) {}

  [[nodiscard]] Json run() const { return children(Step{tree_.root, std::nullopt, false}, 0); }

 private:
  [[nodiscard]] Json children(const Step& step, int level) const {
    Json out = Json::array();
    const Node& node = tree_[step.node];
    if (level >= kMaxLevels) {
      return out;
    }
    for (std::size_t at = 0; at < node.items.size(); ++at) {
      if (node.kind == Kind::sequence) {
        add_item(node.items[at], level, out);
      } else if (at % 2 == 1) {
        add_entry(node.items[at - 1], node.items[at], level, out);
      }
    }
    return out;
  }

  // Adds an item of a list. Only classes and mappings are shown, not names.
  void add_item(NodeId item, int level, Json& out) const {
    const Node& node = tree_[item];
    if (node.kind != Kind::mapping && node.tag_span.empty()) {
      return;
    }
    const Step step{item, std::nullopt, false};
    std::string_view name = class_of(tree_, step);
    if (name.empty() && !node.items.empty()) name = tree_[node.items.front()].text;
    const Span whole = whole_span(places_, item);
    add(name, SymbolKind::class_, when(whole, false), whole, step, level, out);
  }

  void add_entry(NodeId key, NodeId value, int level, Json& out) const {
    const Node& node = tree_[value];
    const Span whole{places_.begin_of(key), std::max(places_.end_of(key), places_.end_of(value))};
    const bool is_leaf = node.kind == Kind::scalar || node.kind == Kind::alias;
    const SymbolKind kind = !is_leaf     ? (node.kind == Kind::sequence ? SymbolKind::array : SymbolKind::object)
                            : level == 0 ? SymbolKind::variable
                                         : SymbolKind::field;
    const std::string detail = is_leaf ? std::string(places_.text(node.span.begin, node.span.end)) : when(whole, true);
    add(tree_[key].text, kind, detail, whole, {value, key, false}, level, out);
  }

  // Returns the window of the action whose class is in (or, with `begins`, at the start of) a span of the text. Returns
  // an empty string if there is no such action or several.
  [[nodiscard]] std::string when(Span whole, bool begins) const {
    const ir::Action* found = nullptr;
    for (const ir::Action& action : reading_.compilation.recipe->actions) {
      if (action.origin.span.begin < whole.begin || action.origin.span.end > whole.end) continue;
      if (begins && action.origin.span.begin != whole.begin) continue;
      if (found != nullptr) return {};
      found = &action;
    }
    return found != nullptr && found->valid ? diff::when(*found) : "";
  }

  void add(std::string_view name, SymbolKind kind, const std::string& detail, Span whole, const Step& step, int level,
           Json& out) const {
    const auto span = document_.to_text(whole);
    if (!span) {
      return;
    }
    const Span first{span->begin,
                     std::min(span->end, document_.text().line(document_.text().line_of(span->begin)).end)};
    Json symbol = {{"name", name.empty() ? "-" : base::printable(name)},
                   {"kind", static_cast<int>(kind)},
                   {"range", to_json(document_.text().range(*span))},
                   {"selectionRange", to_json(document_.text().range(first))}};
    if (!detail.empty()) symbol["detail"] = base::printable(detail);
    if (Json inner = children(step, level + 1); !inner.empty()) symbol["children"] = std::move(inner);
    out.push_back(std::move(symbol));
  }

  const Document& document_;
  const Reading& reading_;
  const doc::Document& tree_;
  doc::Places places_;
};

Json document_symbols(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const Reading* good = document.good();
  return good == nullptr ? Json::array() : Outline(document, *good).run();
}

}  // namespace sparsecfg::lsp
