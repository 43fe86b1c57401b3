#include "format/layout.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/text.h"
#include "doc/places.h"

namespace sparsecfg::format {

class Reorderer {
 public:
  Reorderer(std::string_view text, const Document& document, const FieldOrder& order)
      : document_(document), order_(order), places_(text, document) {}

  std::vector<Edit> run() {
    visit(document_.root, !document_[document_.root].tag_span.empty());
    return std::move(edits_);
  }

 private:
  // `fields`: true if the keys are fields of a class, not user-defined names.
  void visit(NodeId id, bool fields) {
    const Node& node = document_[id];
    if (node.kind == Kind::sequence) {
      for (const NodeId item : node.items) visit(item, true);
    } else if (node.kind == Kind::mapping) {
      if (fields && node.style == Style::block && breaks_run(node) && is_movable(id)) {
        sort(node);
        return;
      }
      for (std::size_t at = 0; at + 1 < node.items.size(); at += 2) {
        visit(node.items[at + 1], is_class(node.items[at], node.items[at + 1]));
      }
    }
  }

  bool is_class(NodeId key, NodeId value) const {
    const std::string_view name = document_[key].text;
    const bool capital = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
    return capital || !document_[value].tag_span.empty();
  }

  std::string_view key_of(const Node& node, std::size_t entry) const { return document_[node.items[2 * entry]].text; }

  static std::size_t size_of(const Node& node) { return node.items.size() / 2; }

  bool breaks_run(const Node& node) const {
    return std::ranges::any_of(order_.runs, [&](std::span<const std::string_view> run) {
      std::size_t reached = 0;
      for (std::size_t at = 0; at < size_of(node); ++at) {
        const auto found = std::ranges::find(run, key_of(node, at));
        if (found == run.end()) continue;
        const auto place = static_cast<std::size_t>(found - run.begin());
        if (place < reached) return true;
        reached = place;
      }
      return false;
    });
  }

  // Returns true if every entry has its own lines with nothing but line breaks between them.
  bool is_movable(NodeId id) const {
    const Node& node = document_[id];
    std::set<std::string_view> keys;
    for (std::size_t at = 0; at < size_of(node); ++at) {
      const NodeId key = node.items[2 * at];
      const NodeId next = 2 * at + 2 < node.items.size() ? node.items[2 * at + 2] : id;
      const std::uint32_t end = places_.line_end(places_.end_of(node.items[2 * at + 1]));
      const bool plain = document_[key].kind == Kind::scalar && document_[key].text != "<<" &&
                         keys.insert(document_[key].text).second && is_fixed(key) && is_fixed(node.items[2 * at + 1]);
      const bool close = next == id || (places_.next_line(end) == places_.line_begin(places_.begin_of(next)) &&
                                        is_blank(places_.line_begin(places_.begin_of(next)), places_.begin_of(next)));
      if (!plain || !close) {
        return false;
      }
    }
    return true;
  }

  bool is_blank(std::uint32_t begin, std::uint32_t end) const { return base::trim(places_.text(begin, end)).empty(); }

  // Returns true if a node has the same meaning at any position among its siblings and contains no comment lines.
  bool is_fixed(NodeId id) const {
    const Node& node = document_[id];
    const bool block_scalar = node.style == Style::literal || node.style == Style::folded;
    return node.kind != Kind::alias && node.anchor_span.empty() && !block_scalar &&
           std::ranges::all_of(node.items, [&](NodeId item) { return is_fixed(item); });
  }

  std::size_t rank(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(order_.names, name) - order_.names.begin());
  }

  // Returns the span from the key to the end of the last line, including a comment there.
  source::Span chunk(const Node& node, std::size_t entry) const {
    return {places_.begin_of(node.items[2 * entry]), places_.line_end(places_.end_of(node.items[2 * entry + 1]))};
  }

  void sort(const Node& node) {
    std::vector<std::size_t> order(size_of(node));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t entry) { return rank(key_of(node, entry)); });
    for (std::size_t at = 0; at < order.size(); ++at) {
      const source::Span from = chunk(node, order[at]);
      if (order[at] != at) {
        edits_.push_back({chunk(node, at), std::string(places_.text(from.begin, from.end))});
      }
    }
  }

  const Document& document_;
  const FieldOrder& order_;
  doc::Places places_;
  std::vector<Edit> edits_;
};

std::vector<Edit> reorder(std::string_view text, const Document& document, const FieldOrder& order) {
  return order.runs.empty() ? std::vector<Edit>() : Reorderer(text, document, order).run();
}

}  // namespace sparsecfg::format
