#include "format/format.h"

#include <algorithm>

#include "base/text.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"
#include "format/layout.h"
#include "source/edits.h"

namespace sparsecfg::format {

using source::SourceFile;
using source::Span;

std::optional<Span> part_of(const SourceFile& file) {
  const auto end = static_cast<std::uint32_t>(file.text().size());
  if (!doc::is_markdown(file.name())) {
    return Span{0, end};
  }
  const auto front = doc::find_front_matter(file.text());
  return front ? std::optional(front->yaml) : std::nullopt;
}

// --- comparing documents -----------------------------------------------------------------------------

// Compares two documents, ignoring white space, redundant quotes and the order of keys.
class Comparison {
 public:
  Comparison(const SourceFile& a, const Document& first, const SourceFile& b, const Document& second)
      : a_(a), first_(first), b_(b), second_(second) {}

  [[nodiscard]] bool same() const {
    return same_node(first_.root, second_.root) && comments(a_, first_) == comments(b_, second_);
  }

 private:
  static std::vector<std::string_view> comments(const SourceFile& file, const Document& document) {
    std::vector<std::string_view> texts;
    for (const doc::Comment& comment : document.comments) {
      texts.push_back(base::trim(file.text(comment.span)));
    }
    std::ranges::sort(texts);
    return texts;
  }

  bool same_node(NodeId a, NodeId b) const {
    const Node& one = first_[a];
    const Node& other = second_[b];
    const bool alike = one.kind == other.kind && one.tag == other.tag && one.items.size() == other.items.size() &&
                       a_.text(one.anchor_span) == b_.text(other.anchor_span);
    if (!alike || one.kind == Kind::scalar) {
      return alike && one.text == other.text && doc::type_of(one) == doc::type_of(other);
    }
    if (one.kind == Kind::alias) {
      return one.text == other.text;
    }
    return one.kind == Kind::mapping ? same_entries(one, other) : same_items(one.items, other.items);
  }

  bool same_items(const std::vector<NodeId>& a, const std::vector<NodeId>& b) const {
    return std::ranges::equal(a, b, [&](NodeId one, NodeId other) { return same_node(one, other); });
  }

  // Repeated keys must stay in place.
  bool same_entries(const Node& one, const Node& other) const {
    if (same_items(one.items, other.items)) {
      return true;
    }
    const auto sorted = [](const Document& document, const Node& node) {
      std::vector<std::pair<NodeId, NodeId>> entries;
      for (std::size_t at = 0; at + 1 < node.items.size(); at += 2) {
        entries.emplace_back(node.items[at], node.items[at + 1]);
      }
      std::ranges::stable_sort(entries, {}, [&](const auto& entry) { return document[entry.first].text; });
      return entries;
    };
    return std::ranges::equal(sorted(first_, one), sorted(second_, other), [&](const auto& a, const auto& b) {
      return same_node(a.first, b.first) && same_node(a.second, b.second);
    });
  }

  const SourceFile& a_;
  const Document& first_;
  const SourceFile& b_;
  const Document& second_;
};

// --- formatting a file ------------------------------------------------------------------------------

static std::optional<Document> read(const SourceFile& file, const doc::Limits& limits, diag::Sink& sink) {
  const auto part = part_of(file);
  return part ? doc::read_yaml(file, *part, limits, sink) : std::nullopt;
}

static bool says_the_same(const SourceFile& file, const Document& document, const std::string& text,
                          const doc::Limits& limits) {
  diag::Sink ignored;
  const SourceFile after(file.name(), text);
  const auto again = read(after, limits, ignored);
  return again && Comparison(file, document, after, *again).same();
}

// Returns the text with its fields in the usual order, or unchanged if that would change its meaning.
static std::string in_order(const SourceFile& file, const Document& document, const FieldOrder& order,
                            const doc::Limits& limits) {
  const std::string before(file.text());
  std::vector<Edit> edits = reorder(before, document, order);
  if (edits.empty()) {
    return before;
  }
  std::string after = source::apply_edits(before, std::move(edits));
  return says_the_same(file, document, after, limits) ? after : before;
}

std::optional<Formatted> format(const SourceFile& file, const FieldOrder& order, const doc::Limits& limits,
                                diag::Sink& sink) {
  const auto document = read(file, limits, sink);
  if (!document) {
    return std::nullopt;
  }
  const SourceFile ordered(file.name(), in_order(file, *document, order, limits));
  const auto part = part_of(ordered);
  const auto again = doc::read_yaml(ordered, *part, limits, sink);
  if (!again) {
    return std::nullopt;
  }
  std::string text = source::apply_edits(ordered.text(), lay_out(ordered, *part, *again));
  const bool same = text == file.text() || says_the_same(file, *document, text, limits);
  return same ? Formatted{std::move(text), false} : Formatted{std::string(file.text()), true};
}

}  // namespace sparsecfg::format
