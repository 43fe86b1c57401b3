#include <algorithm>
#include <utility>
#include <variant>

#include "regex/pattern.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

namespace {

// Collects the characters that follow each other in every match, in one pass over a pattern's tree.
class RequiredText {
 public:
  void visit(const Node& node) {
    switch (node.kind) {
      case Node::Kind::letters: return add(node.letters);
      case Node::Kind::position: return;
      case Node::Kind::sequence:
        for (const Node& part : node.parts) visit(part);
        return;
      case Node::Kind::either: return node.parts.size() == 1 ? visit(node.parts.front()) : end();
      case Node::Kind::repeat: return visit_repeat(node);
    }
  }

  std::string take() {
    end();
    return std::move(longest_);
  }

 private:
  void add(const CharSet& letters) {
    const auto members = letters.ascii();
    if (members.count() != 1 || letters.may_go_beyond_ascii()) return end();
    char letter = 0;
    while (!members[static_cast<std::size_t>(letter)]) ++letter;
    current_ += letter;
  }

  // The first repetition follows what is before it. After the last one, the text starts again.
  void visit_repeat(const Node& node) {
    if (node.count.min > 0) visit(node.parts.front());
    if (node.count.min != 1 || node.count.max != 1) end();
  }

  void end() {
    if (current_.size() > longest_.size()) longest_ = current_;
    current_.clear();
  }

  std::string current_;
  std::string longest_;
};

}  // namespace

std::string required_text(std::string_view python_pattern) {
  const auto tree = parse(python_pattern);
  const auto* node = std::get_if<Node>(&tree);
  if (node == nullptr || may_backtrack(python_pattern)) {
    return {};
  }
  RequiredText text;
  text.visit(*node);
  return text.take();
}

std::size_t match_cost(std::string_view python_pattern) {
  constexpr std::size_t kWithoutText = 8;
  return required_text(python_pattern).empty() ? kWithoutText : 1;
}

}  // namespace sparsecfg::regex
