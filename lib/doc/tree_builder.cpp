#include "doc/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doc/characters.h"
#include "doc/yaml_parts.h"

namespace sparsecfg::doc {

TreeBuilder::TreeBuilder(std::string_view text, std::uint32_t begin, bool tabs, const Limits& limits, diag::Sink& sink)
    : text_(text),
      begin_(begin),
      limits_(limits),
      sink_(sink),
      gap_(text, begin, tabs, document_.comments, sink),
      expansion_(limits),
      has_tabs_(text.find('\t', begin) != std::string_view::npos) {
  document_.nodes.reserve((text.size() - begin) / 6 + 1);  // dense recipes have one node per six bytes
  items_.reserve(64);                                      // more than most recipes have open at once
}

bool TreeBuilder::add(const Event& event) {
  switch (event.kind) {
    case EventKind::document_start: return begin_document(event);
    case EventKind::document_end: document_over_ = true; return true;
    case EventKind::stream_end: return end_document();
    case EventKind::alias: return add_alias(event);
    case EventKind::scalar: return add_scalar(event);
    case EventKind::sequence_start:
    case EventKind::mapping_start: return add_start(event);
    case EventKind::sequence_end:
    case EventKind::mapping_end: return add_end(event);
  }
  return false;
}

std::optional<std::uint32_t> TreeBuilder::open_bracket() const {
  const auto innermost = std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return open.bracketed; });
  if (innermost == open_.rend()) {
    return std::nullopt;
  }
  return document_[innermost->id].span.begin;
}

bool TreeBuilder::begin_document(const Event& event) {
  if (document_over_) {
    sink_.report(diag::multiple_documents, event.span).with_help("delete this line, or split the file in two");
    return false;
  }
  return true;
}

bool TreeBuilder::end_document() {
  if (!gap_.scan_to(static_cast<std::uint32_t>(text_.size()))) {
    return false;
  }
  if (document_.nodes.empty()) {
    Node nothing;
    nothing.span = {begin_, begin_};
    document_.root = append(std::move(nothing));
  }
  return true;
}

NodeId TreeBuilder::append(Node node) {
  const auto id = static_cast<NodeId>(document_.nodes.size());
  document_.nodes.push_back(std::move(node));
  items_.push_back(id);
  return id;
}

bool TreeBuilder::within_limits(LimitError excess, source::Span span) {
  switch (excess) {
    case LimitError::none: return true;
    case LimitError::nodes:
      sink_
          .report(diag::limits_exceeded, span,
                  fmt::format("the document exceeds {} nodes here, counting expanded aliases", limits_.nodes))
          .with_help("raise the limit with `--max-nodes`");
      return false;
    case LimitError::depth:
      sink_
          .report(diag::limits_exceeded, span,
                  fmt::format("collections are nested more than {} levels deep here", limits_.depth))
          .with_help("raise the limit with `--max-depth`");
      return false;
  }
  return false;
}

bool TreeBuilder::define_anchor(const Node& node, NodeId id) {
  if (node.anchor_span.empty()) {
    return true;
  }
  const std::string_view name =
      text_.substr(node.anchor_span.begin + 1, node.anchor_span.end - node.anchor_span.begin - 1);
  const auto [found, added] = anchors_.try_emplace(name, Anchor{id, {}, false});
  if (!added) {
    const source::Span first = document_[found->second.id].anchor_span;
    sink_.report(diag::bad_alias, node.anchor_span, fmt::format("duplicate anchor `&{}`", name))
        .with_label(first, "first defined here");
  }
  return added;
}

void TreeBuilder::finish_anchor(std::string_view name, Cost cost) {
  if (!name.empty()) {
    Anchor& anchor = anchors_.find(name)->second;
    anchor.cost = cost;
    anchor.finished = true;
  }
}

bool TreeBuilder::add_alias(const Event& event) {
  const auto found = anchors_.find(event.value);
  if (!gap_.scan_to(event.span.begin)) {
    return false;
  }
  if (found == anchors_.end()) {
    sink_
        .report(diag::bad_alias, event.span,
                fmt::format("undefined alias `*{0}`: no anchor `&{0}` precedes it", event.value))
        .with_help(fmt::format("define `&{0}` before `*{0}`, or quote a string that begins with `*`", event.value));
    return false;
  }
  if (!found->second.finished) {
    sink_
        .report(diag::bad_alias, event.span,
                fmt::format("the alias `*{0}` is inside the node that `&{0}` anchors", event.value))
        .with_label(document_[found->second.id].anchor_span, "anchored here");
    return false;
  }
  gap_.skip_to(event.span.end);
  Node node;
  node.kind = Kind::alias;
  node.span = event.span;
  node.text = text_.substr(event.span.begin + 1, event.value.size());
  node.target = found->second.id;
  append(std::move(node));
  return within_limits(expansion_.add(found->second.cost), event.span);
}

// Returns the beginning of a collection without its properties. libyaml reports its first property as its beginning,
// and as its end the end of the bracket, the first key, or either side of the first `-`.
static std::uint32_t collection_begin(const Event& event, std::string_view text) {
  const std::uint32_t end = event.span.end;
  if (event.style == Style::flow) {
    return end > event.span.begin ? end - 1 : end;
  }
  const bool after_dash = event.kind == EventKind::sequence_start && (end >= text.size() || text[end] != '-');
  return after_dash ? end - 1 : end;
}

bool TreeBuilder::add_start(const Event& event) {
  Node node;
  node.kind = event.kind == EventKind::sequence_start ? Kind::sequence : Kind::mapping;
  node.style = event.style;
  const std::uint32_t begin = collection_begin(event, text_);
  node.span = {begin, begin};
  if (!read_properties(event, begin, node) || !gap_.scan_to(begin)) {
    return false;
  }
  const bool bracketed =
      event.style == Style::flow && (text_[begin] == '[' || text_[begin] == '{') && event.span.end > begin;
  if (bracketed) {
    gap_.skip_to(begin + 1);
  }
  const source::Span place{begin, bracketed ? begin + 1 : begin};
  const NodeId id = append(std::move(node));
  const source::Span anchor = document_[id].anchor_span;
  open_.push_back({id, anchor.empty() ? "" : text_.substr(anchor.begin + 1, anchor.end - anchor.begin - 1),
                   items_.size(), bracketed});
  return define_anchor(document_[id], id) && within_limits(expansion_.enter(), place);
}

bool TreeBuilder::add_end(const Event& event) {
  const Open open = open_.back();
  open_.pop_back();
  Node& node = document_[open.id];
  if (open.bracketed) {
    if (!gap_.scan_to(event.span.end - 1)) {
      return false;
    }
    gap_.skip_to(event.span.end);
  }
  const auto first = items_.begin() + static_cast<std::ptrdiff_t>(open.first_item);
  node.items.assign(first, items_.end());
  items_.erase(first, items_.end());
  node.span.end = open.bracketed ? event.span.end : std::max(node.span.end, document_[node.items.back()].span.end);
  finish_anchor(open.anchor, expansion_.leave());
  return true;
}

bool TreeBuilder::add_scalar(const Event& event) {
  if (event.value.size() > limits_.scalar_bytes) {
    sink_
        .report(diag::limits_exceeded, event.span,
                fmt::format("this scalar has {} bytes; the limit is {}", event.value.size(), limits_.scalar_bytes))
        .with_help("raise the limit with `--max-scalar`");
    return false;
  }
  Node node;
  node.style = event.style;
  if (!read_scalar(event, node)) {
    return false;
  }
  const source::Span anchor = node.anchor_span;
  const source::Span place = node.span;
  const Cost cost = Expansion::scalar(event.value.size());
  const NodeId id = append(std::move(node));
  if (!define_anchor(document_[id], id) || !within_limits(expansion_.add(cost), place)) {
    return false;
  }
  finish_anchor(anchor.empty() ? "" : text_.substr(anchor.begin + 1, anchor.end - anchor.begin - 1), cost);
  return true;
}

// libyaml marks of a block scalar include the line breaks and blank lines after it.
static std::uint32_t trimmed_end(std::string_view text, source::Span span) {
  const std::size_t last = text.substr(span.begin, span.end - span.begin).find_last_not_of(" \t\r\n");
  return span.begin + static_cast<std::uint32_t>(last) + 1;
}

bool TreeBuilder::read_scalar(const Event& event, Node& node) {
  if (!read_properties(event, event.span.end, node)) {
    return false;
  }
  // For a missing value, libyaml sometimes marks the next token.
  const bool missing = event.style == Style::plain && event.value.empty();
  std::uint32_t begin = event.span.begin;
  if (!node.tag_span.empty() || !node.anchor_span.empty()) {
    begin = std::max(node.tag_span.end, node.anchor_span.end);
    begin = missing ? begin : skip_trivia(text_, begin);
  }
  if (!gap_.scan_to(begin)) {
    return false;
  }
  if (missing) {
    node.span = {gap_.token_end(), gap_.token_end()};
    return true;
  }
  node.span = {begin, event.span.end};
  if (event.style == Style::plain && !check_plain(node.span)) {
    return false;
  }
  if (event.style == Style::literal || event.style == Style::folded) {
    if (!scan_block_header(begin)) {
      return false;
    }
    node.span.end = trimmed_end(text_, node.span);
  }
  node.text = keep(event.value, node.span);
  gap_.skip_to(event.span.end);
  return true;
}

// In plain scalars PyYAML accepts no tabs and, in brackets, no `?`.
bool TreeBuilder::check_plain(source::Span span) {
  const std::string_view written = text_.substr(span.begin, span.end - span.begin);
  if (has_tabs_) {
    if (const std::size_t tab = written.find('\t'); tab != std::string_view::npos) {
      report_tab(text_, span.begin + static_cast<std::uint32_t>(tab), sink_);
      return false;
    }
  }
  const bool in_brackets = !open_.empty() && document_[open_.back().id].style == Style::flow;
  const std::size_t mark = in_brackets ? written.find('?') : std::string_view::npos;
  if (mark == std::string_view::npos) {
    return true;
  }
  const auto at = span.begin + static_cast<std::uint32_t>(mark);
  sink_.report(diag::syntax_error, {at, at + 1}, "`?` starts a key in brackets, but a key is not allowed here")
      .with_help("quote the text");
  return false;
}

// After `|` or `>` and its indicators, PyYAML requires a space before a comment and rejects a tab.
bool TreeBuilder::scan_block_header(std::uint32_t begin) {
  auto at = static_cast<std::uint32_t>(text_.find_first_not_of("+-0123456789", begin + 1));
  at = std::min(at, static_cast<std::uint32_t>(text_.size()));
  if (at < text_.size() && text_[at] != '\t' && !is_space_or_end(text_, at)) {
    sink_.report(diag::syntax_error, {at, at + 1},
                 fmt::format("missing space between `{}` and the comment", text_[begin]));
    return false;
  }
  return gap_.scan_to(static_cast<std::uint32_t>(find_line_end(text_, at)));
}

bool TreeBuilder::read_properties(const Event& event, std::uint32_t content, Node& node) {
  const char first = event.span.begin < content ? text_[event.span.begin] : ' ';
  if (first != '!' && first != '&') {
    return true;
  }
  const Properties found = find_properties(text_, event.span.begin, content);
  node.tag_span = found.tag;
  node.anchor_span = found.anchor;
  if (!found.problem.empty()) {
    sink_.report(diag::syntax_error, found.tag, found.problem)
        .with_help("add a space after the tag, or quote the text");
    return false;
  }
  node.tag = keep_tag(event.tag, found.tag);
  return true;
}

std::string_view TreeBuilder::keep(std::string_view passing, source::Span span) {
  std::string_view written = text_.substr(span.begin, span.end - span.begin);
  if (written.size() == passing.size() + 2) {
    written = written.substr(1, passing.size());
  }
  return written == passing ? written : std::string_view(document_.owned.emplace_back(passing));
}

std::string_view TreeBuilder::keep_tag(std::string_view tag, source::Span span) {
  static constexpr std::array<std::string_view, 13> kStandard{
      "tag:yaml.org,2002:str",  "tag:yaml.org,2002:int",   "tag:yaml.org,2002:float",  "tag:yaml.org,2002:bool",
      "tag:yaml.org,2002:null", "tag:yaml.org,2002:seq",   "tag:yaml.org,2002:map",    "tag:yaml.org,2002:set",
      "tag:yaml.org,2002:omap", "tag:yaml.org,2002:pairs", "tag:yaml.org,2002:binary", "tag:yaml.org,2002:timestamp",
      "tag:yaml.org,2002:merge"};
  const std::string_view written = text_.substr(span.begin, span.end - span.begin);
  // libyaml drops the bare `!` of a scalar, which makes PyYAML read even a quoted one as plain.
  if (tag.empty() || tag == written) {
    return written;
  }
  const auto default_value = std::ranges::find(kStandard, tag);
  return default_value != kStandard.end() ? *default_value : std::string_view(document_.owned.emplace_back(tag));
}

}  // namespace sparsecfg::doc
