#include "lsp/tree.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::lsp {

using doc::Kind;
using doc::Node;
using doc::NodeId;
using source::Span;

NodeSpans::NodeSpans(std::string_view text, const doc::Document& tree) {
  const doc::Places places(text, tree);
  spans_.reserve(tree.nodes.size());
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const auto id = static_cast<NodeId>(at);
    spans_.push_back({places.begin_of(id), places.end_of(id)});
  }
  const auto goes_back = [&](NodeId one, NodeId next) {
    return of(next).begin < of(one).begin || of(next).end < of(one).end;
  };
  for (const Node& node : tree.nodes) {
    sorted_.push_back(std::ranges::adjacent_find(node.items, goes_back) == node.items.end());
  }
}

static bool contains(Span span, std::uint32_t offset) { return span.begin <= offset && offset <= span.end; }

// Returns the item of a collection that contains the position.
static std::optional<Step> step_into(const doc::Document& tree, NodeId id, const NodeSpans& spans,
                                     std::uint32_t offset) {
  const Node& node = tree[id];
  auto item = node.items.begin();
  if (spans.are_items_sorted(id)) {
    item = std::ranges::lower_bound(node.items, offset, {}, [&](NodeId each) { return spans.of(each).end; });
  } else {
    item = std::ranges::find_if(node.items, [&](NodeId each) { return contains(spans.of(each), offset); });
  }
  if (item == node.items.end() || !contains(spans.of(*item), offset)) {
    return std::nullopt;
  }
  const auto at = static_cast<std::size_t>(item - node.items.begin());
  if (node.kind != Kind::mapping) return Step{*item, std::nullopt, false, at};
  const bool is_key = at % 2 == 0;
  return Step{*item, is_key ? std::nullopt : std::optional(node.items[at - 1]), is_key, at};
}

std::vector<Step> steps_to(const doc::Document& tree, const NodeSpans& spans, std::uint32_t offset) {
  std::vector<Step> steps = {{tree.root, std::nullopt, false}};
  while (const auto next = step_into(tree, steps.back().node, spans, offset)) {
    steps.push_back(*next);
  }
  return steps;
}

std::string_view class_of(const doc::Document& tree, const Step& step) {
  const Node& node = tree[step.node];
  if (node.tag.starts_with('!')) {
    return node.tag.substr(1);
  }
  for (std::size_t at = 0; node.kind == Kind::mapping && at + 1 < node.items.size(); at += 2) {
    const Node& value = tree[node.items[at + 1]];
    if (tree[node.items[at]].text == "class" && value.kind == Kind::scalar) return value.text;
  }
  return step.key ? tree[*step.key].text : std::string_view();
}

Span word_at(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = offset;
  std::uint32_t end = offset;
  while (begin > 0 && base::is_name_letter(text[begin - 1])) --begin;
  while (end < text.size() && base::is_name_letter(text[end])) ++end;
  return {begin, end};
}

}  // namespace sparsecfg::lsp
