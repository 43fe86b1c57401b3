#include "model/selectors/literal_index.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace sparsecfg::selectors {

LiteralIndex::LiteralIndex(std::vector<std::string_view> texts)
    : texts_(std::move(texts)), nodes_(1), next_equal_(texts_.size(), kNone) {
  std::size_t letters = 1;
  for (const std::string_view text : texts_) letters += text.size();
  edges_.resize(std::bit_ceil(2 * letters));
  for (std::uint32_t number = 0; number < texts_.size(); ++number) add(number);
  add_fallbacks();
}

std::size_t LiteralIndex::slot_of(std::uint32_t from, unsigned char letter) const {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  const std::uint64_t hash = ((std::uint64_t{from} << 8) | letter) * kMultiplier;
  const std::size_t mask = edges_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash >> 24) & mask;
  while (edges_[at].from != kNone && (edges_[at].from != from || edges_[at].letter != letter)) at = (at + 1) & mask;
  return at;
}

std::uint32_t LiteralIndex::child_of(std::uint32_t from, unsigned char letter) const {
  return edges_[slot_of(from, letter)].to;
}

std::uint32_t LiteralIndex::add_child(std::uint32_t from, unsigned char letter) {
  Edge& edge = edges_[slot_of(from, letter)];
  if (edge.to == kNone) {
    edge = {from, static_cast<std::uint32_t>(nodes_.size()), letter};
    Node node;
    node.parent = from;
    node.depth = nodes_[from].depth + 1;
    node.letter = letter;
    nodes_.push_back(node);
  }
  return edge.to;
}

void LiteralIndex::add(std::uint32_t number) {
  std::uint32_t at = kRoot;
  for (const char letter : texts_[number]) at = add_child(at, static_cast<unsigned char>(letter));
  next_equal_[number] = std::exchange(nodes_[at].first_text, number);
}

std::uint32_t LiteralIndex::next(std::uint32_t state, unsigned char letter) const {
  for (;; state = nodes_[state].fallback) {
    const std::uint32_t child = child_of(state, letter);
    if (child != kNone) return child;
    if (state == kRoot) return kRoot;
  }
}

// Shorter nodes come first, because longer ones fall back to them.
void LiteralIndex::add_fallbacks() {
  std::vector<std::uint32_t> by_depth(nodes_.size());
  std::iota(by_depth.begin(), by_depth.end(), 0U);
  std::ranges::stable_sort(by_depth, {}, [&](std::uint32_t at) { return nodes_[at].depth; });
  for (const std::uint32_t at : by_depth) {
    Node& node = nodes_[at];
    if (at == kRoot) continue;
    if (node.depth > 1) node.fallback = next(nodes_[node.parent].fallback, node.letter);
    const Node& fallback = nodes_[node.fallback];
    node.shorter = fallback.first_text != kNone ? node.fallback : fallback.shorter;
  }
}

}  // namespace sparsecfg::selectors
