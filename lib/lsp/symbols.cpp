#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "ir/describe.h"
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
      : document_(document), reading_(reading), tree_(*reading.tree), spans_(*reading.spans) {
    for (const ir::Action& action : reading.compilation.recipe->actions) actions_.push_back(&action);
    std::ranges::stable_sort(actions_, {}, [](const ir::Action* action) { return action->origin.span.begin; });
    levels_ = levels_shown();
  }

  [[nodiscard]] Json run() { return children(Step{tree_.root, std::nullopt, false}, 0); }

 private:
  // Goes down level by level as long as all nodes of a level may be shown.
  [[nodiscard]] int levels_shown() const {
    std::vector<NodeId> nodes = {tree_.root};
    std::size_t count = 0;
    for (int level = 0; level < kMaxLevels; ++level) {
      std::vector<NodeId> below;
      for (const NodeId id : nodes) {
        const Node& node = tree_[id];
        for (std::size_t at = node.kind == Kind::mapping ? 1 : 0; at < node.items.size(); at += step_of(node)) {
          below.push_back(node.items[at]);
        }
      }
      count += below.size();
      if (count > limits::kMaxSymbols) return std::max(level, 2);
      nodes = std::move(below);
    }
    return kMaxLevels;
  }

  static std::size_t step_of(const Node& node) { return node.kind == Kind::mapping ? 2 : 1; }

  [[nodiscard]] Json children(const Step& step, int level) {
    Json out = Json::array();
    const Node& node = tree_[step.node];
    if (level >= levels_) {
      return out;
    }
    for (std::size_t at = 0; at < node.items.size() && count_ < limits::kMaxSymbols; ++at) {
      if (node.kind == Kind::sequence) {
        add_item(node.items[at], level, out);
      } else if (at % 2 == 1) {
        add_entry(node.items[at - 1], node.items[at], level, out);
      }
    }
    return out;
  }

  // Adds an item of a list. Only classes and mappings are shown, not names.
  void add_item(NodeId item, int level, Json& out) {
    const Node& node = tree_[item];
    if (node.kind != Kind::mapping && node.tag_span.empty()) {
      return;
    }
    const Step step{item, std::nullopt, false};
    std::string_view name = class_of(tree_, step);
    if (name.empty() && !node.items.empty()) name = tree_[node.items.front()].text;
    const Span whole = spans_.of(item);
    add(name, SymbolKind::class_, when(whole, false), whole, step, level, out);
  }

  void add_entry(NodeId key, NodeId value, int level, Json& out) {
    const Node& node = tree_[value];
    const Span whole{spans_.of(key).begin, std::max(spans_.of(key).end, spans_.of(value).end)};
    const bool is_leaf = node.kind == Kind::scalar || node.kind == Kind::alias;
    const SymbolKind kind = !is_leaf     ? (node.kind == Kind::sequence ? SymbolKind::array : SymbolKind::object)
                            : level == 0 ? SymbolKind::variable
                                         : SymbolKind::field;
    const std::string detail = is_leaf ? leaf_text(node.span) : when(whole, true);
    add(tree_[key].text, kind, detail, whole, {value, key, false}, level, out);
  }

  // Returns the window of the action whose class is in (or, with `begins`, at the start of) a span of the text. Returns
  // an empty string if there is no such action or several.
  [[nodiscard]] std::string when(Span whole, bool begins) const {
    const ir::Action* found = nullptr;
    auto next = std::ranges::lower_bound(actions_, whole.begin, {},
                                         [](const ir::Action* action) { return action->origin.span.begin; });
    for (; next != actions_.end() && (*next)->origin.span.begin <= (begins ? whole.begin : whole.end); ++next) {
      if ((*next)->origin.span.end > whole.end) continue;
      if (found != nullptr) return {};
      found = *next;
    }
    return found != nullptr && found->valid ? ir::when(*found) : "";
  }

  // A scalar may be as long as the document, and every level shows it again.
  [[nodiscard]] std::string leaf_text(Span span) const {
    constexpr std::uint32_t kMaxText = 200;
    const std::string_view text = reading_.compilation.file->text({span.begin, span.end});
    if (text.size() <= kMaxText) return std::string(text);
    std::size_t end = kMaxText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "...";
  }

  void add(std::string_view name, SymbolKind kind, const std::string& detail, Span whole, const Step& step, int level,
           Json& out) {
    const auto span = document_.to_text(whole);
    if (!span) {
      return;
    }
    ++count_;
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
  const NodeSpans& spans_;
  std::vector<const ir::Action*> actions_;  // by place
  int levels_ = kMaxLevels;
  std::size_t count_ = 0;
};

Json document_symbols(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  const Reading* good = document.good();
  return good == nullptr ? Json::array() : Outline(document, *good).run();
}

}  // namespace sparsecfg::lsp
