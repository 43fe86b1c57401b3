#include "regex/pattern.h"

#include <cstddef>
#include <variant>

#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

// Each repeat without a small upper limit can multiply the work by the length of the name.
constexpr std::size_t kHarmless = 4;
constexpr std::uint64_t kNarrow = 2;

namespace {

class Inspection {
 public:
  void visit(const Node& node, bool repeated) {
    const bool repeats =
        node.kind == Node::Kind::repeat && node.count.max >= kNarrow && node.count.max != node.count.min;
    const bool chooses = node.kind == Node::Kind::either && node.parts.size() > 1;
    choices_ += repeats ? 1 : 0;
    nested_ = nested_ || (repeated && (repeats || chooses));
    for (const Node& part : node.parts) {
      visit(part, repeated || (node.kind == Node::Kind::repeat && node.count.max >= kNarrow));
    }
  }

  [[nodiscard]] bool is_suspect() const { return nested_ || choices_ > kHarmless; }

 private:
  std::size_t choices_ = 0;
  bool nested_ = false;
};

}  // namespace

bool may_backtrack(std::string_view python_pattern) {
  const auto parsed = parse(python_pattern);
  const auto* node = std::get_if<Node>(&parsed);
  if (node == nullptr) {
    return true;
  }
  Inspection inspection;
  inspection.visit(*node, false);
  return inspection.is_suspect();
}

}  // namespace sparsecfg::regex
