#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "doc/event_reader.h"
#include "doc/expansion.h"
#include "doc/readers.h"
#include "doc/trivia_scanner.h"

namespace sparsecfg::doc {

// Builds the tree of one document from parser events. Rejects input that exceeds a limit, that PyYAML's composer
// rejects, or that PyYAML's scanner rejects although libyaml accepts them.
class TreeBuilder {
 public:
  // `text` is the file up to the end of the part being read; the part begins at `begin`.
  // `tabs`: true if tabs between nodes are white space.
  TreeBuilder(std::string_view text, std::uint32_t begin, bool tabs, const Limits& limits, diag::Sink& sink);
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  // Returns false, after a report, if the event is not allowed.
  [[nodiscard]] bool add(const Event& event);

  [[nodiscard]] Document take() { return std::move(document_); }

  // Returns the innermost open bracket, if the input ends before it is closed.
  [[nodiscard]] std::optional<std::uint32_t> open_bracket() const;

  [[nodiscard]] bool is_document_over() const { return document_over_; }

 private:
  struct Open {
    NodeId id;
    std::string_view anchor;
    std::size_t first_item = 0;  // index into items_
    bool bracketed = false;      // `{a: b}`, but not the mapping in `[a: b]`
  };

  struct Anchor {
    NodeId id;
    Cost cost;
    bool finished = false;
  };

  [[nodiscard]] bool add_alias(const Event& event);
  [[nodiscard]] bool add_scalar(const Event& event);
  [[nodiscard]] bool add_start(const Event& event);
  [[nodiscard]] bool add_end(const Event& event);
  [[nodiscard]] bool begin_document(const Event& event);
  [[nodiscard]] bool end_document();

  [[nodiscard]] bool read_properties(const Event& event, std::uint32_t content, Node& node);
  [[nodiscard]] bool read_scalar(const Event& event, Node& node);
  [[nodiscard]] bool scan_block_header(std::uint32_t begin);
  [[nodiscard]] bool check_plain(source::Span span);
  [[nodiscard]] std::string_view keep(std::string_view passing, source::Span span);
  [[nodiscard]] std::string_view keep_tag(std::string_view tag, source::Span span);
  [[nodiscard]] bool define_anchor(const Node& node, NodeId id);
  void finish_anchor(std::string_view name, Cost cost);
  [[nodiscard]] bool within_limits(LimitError excess, source::Span span);
  NodeId append(Node node);

  std::string_view text_;
  std::uint32_t begin_;
  const Limits& limits_;
  diag::Sink& sink_;
  Document document_;
  TriviaScanner gap_;
  Expansion expansion_;
  std::vector<Open> open_;
  std::vector<NodeId> items_;  // items of all open collections, outermost first
  std::unordered_map<std::string_view, Anchor> anchors_;
  bool has_tabs_;
  bool document_over_ = false;
};

}  // namespace sparsecfg::doc
