#include "regex/pattern.h"

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

namespace {

// Writes a matching text during one pass over a pattern's tree.
class Sampler {
 public:
  explicit Sampler(std::string_view wild) : wild_(wild) {}

  // Returns false for nodes that a sample can't contain.
  bool add(const Node& node) {
    switch (node.kind) {
      case Node::Kind::letters: return add_one_of(node.letters);
      case Node::Kind::position: return add_position(node.position);
      case Node::Kind::sequence: return std::ranges::all_of(node.parts, [&](const Node& part) { return add(part); });
      case Node::Kind::either: return !node.parts.empty() && add(node.parts.front());
      case Node::Kind::repeat: return add_repeat(node);
    }
    return false;
  }

  Sample sample;

 private:
  static constexpr std::size_t kMaxSize = 1000;

  // Characters used in names. A digit comes first, because layers are numbered.
  bool add_one_of(const CharSet& letters) {
    constexpr std::string_view kCandidates = "0a_.";
    const auto is_member = [&](char c) {
      const bool digit = base::is_digit(c);
      const bool word = base::is_letter(c) || c == '_';
      const auto kind = digit ? CharacterKind::digit : word ? CharacterKind::word : CharacterKind::other;
      return letters.contain({static_cast<char32_t>(c), kind});
    };
    if (letters == CharSet::any()) return append("a");
    for (const auto& [first, last] : letters.ranges()) {
      const auto c = static_cast<char>(first < 0x80 ? first : 0);
      if ((base::is_letter(c) || base::is_digit(c)) && is_member(c)) return append(std::string_view(&c, 1));
    }
    const auto* found = std::ranges::find_if(kCandidates, is_member);
    return found != kCandidates.end() && append(std::string_view(found, 1));
  }

  bool add_position(const Position& position) {
    if (position.kind == Position::Kind::end) {
      sample.open = false;
      return true;
    }
    return position.kind == Position::Kind::start && sample.text.empty();
  }

  bool add_repeat(const Node& node) {
    const Node& part = node.parts.front();
    const bool any = part.kind == Node::Kind::letters && part.letters == CharSet::any();
    if (any && node.count.min == 0 && node.count.max >= wild_.size()) return append(wild_);
    if (node.count.min > kMaxSize) return false;
    for (std::uint64_t times = 0; times < node.count.min; ++times) {
      if (!add(part)) return false;
    }
    return true;
  }

  // Fails after the end of the name.
  bool append(std::string_view text) {
    sample.text += text;
    return sample.open && sample.text.size() <= kMaxSize;
  }

  std::string_view wild_;
};

}  // namespace

std::optional<Sample> sample_of(std::string_view python_pattern, std::string_view wild) {
  const auto tree = parse(python_pattern);
  const auto* node = std::get_if<Node>(&tree);
  Sampler sampler(wild);
  return node != nullptr && sampler.add(*node) ? std::optional(std::move(sampler.sample)) : std::nullopt;
}

}  // namespace sparsecfg::regex
