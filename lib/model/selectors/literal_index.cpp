#include "model/selectors/literal_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sparsecfg::selectors {

static std::size_t letters_in(const std::vector<std::string_view>& texts) {
  std::size_t letters = 0;
  for (const std::string_view text : texts) letters += text.size();
  return letters;
}

LiteralIndex::LiteralIndex(std::vector<std::string_view> texts)
    : texts_(std::move(texts)), nodes_(1), next_equal_(texts_.size(), kNone) {
  constexpr std::size_t kShared = 4;  // texts of most lists share most letters
  edges_ = EdgeTable(letters_in(texts_) / kShared);
  for (std::uint32_t number = 0; number < texts_.size(); ++number) add(number);
  add_fallbacks();
}

std::uint32_t LiteralIndex::add_child(std::uint32_t from, unsigned char letter) {
  const std::uint32_t known = edges_.find(from, letter);
  if (known != kNone) return known;
  const auto added = static_cast<std::uint32_t>(nodes_.size());
  edges_.add(from, letter, added);
  Node node;
  node.parent = from;
  node.depth = nodes_[from].depth + 1;
  node.letter = letter;
  nodes_.push_back(node);
  return added;
}

void LiteralIndex::add(std::uint32_t number) {
  std::uint32_t at = kRoot;
  for (const char letter : texts_[number]) at = add_child(at, static_cast<unsigned char>(letter));
  next_equal_[number] = std::exchange(nodes_[at].first_text, number);
}

std::uint32_t LiteralIndex::next(std::uint32_t state, unsigned char letter) const {
  for (;; state = nodes_[state].fallback) {
    const std::uint32_t child = edges_.find(state, letter);
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
