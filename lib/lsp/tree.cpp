#include "lsp/tree.h"

#include "base/text.h"

namespace sparsecfg::lsp {

using doc::Kind;
using doc::Node;
using doc::NodeId;
using source::Span;

Span whole_span(const doc::Places& places, NodeId id) { return {places.begin_of(id), places.end_of(id)}; }

static bool contains(Span span, std::uint32_t offset) { return span.begin <= offset && offset <= span.end; }

// Returns the item of a collection that contains the position.
static std::optional<Step> step_into(const Node& node, const doc::Places& places, std::uint32_t offset) {
  const std::size_t width = node.kind == Kind::mapping ? 2 : 1;
  for (std::size_t at = 0; at < node.items.size(); ++at) {
    if (!contains(whole_span(places, node.items[at]), offset)) continue;
    if (width == 1) return Step{node.items[at], std::nullopt, false};
    const bool is_key = at % 2 == 0;
    return Step{node.items[at], is_key ? std::nullopt : std::optional(node.items[at - 1]), is_key};
  }
  return std::nullopt;
}

std::vector<Step> steps_to(const doc::Document& tree, const doc::Places& places, std::uint32_t offset) {
  std::vector<Step> steps = {{tree.root, std::nullopt, false}};
  while (const auto next = step_into(tree[steps.back().node], places, offset)) {
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

static bool is_word(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

Span word_at(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = offset;
  std::uint32_t end = offset;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return {begin, end};
}

std::vector<Span> words_in(std::string_view text, Span part, std::string_view word) {
  std::vector<Span> found;
  for (std::size_t at = text.find(word, part.begin); at != std::string_view::npos && at + word.size() <= part.end;
       at = text.find(word, at + 1)) {
    const auto begin = static_cast<std::uint32_t>(at);
    const Span whole = word_at(text, begin);
    if (!word.empty() && whole.begin == begin && whole.end - whole.begin == word.size()) found.push_back(whole);
  }
  return found;
}

}  // namespace sparsecfg::lsp
