#include <algorithm>

#include "doc/readers.h"

#include "base/text.h"
#include "doc/event_reader.h"
#include "doc/expansion.h"
#include "doc/tree_builder.h"
#include "doc/yaml_parts.h"
#include "source/value.h"

namespace sparsecfg::doc {

// Limit on repairs, so that input that needs many of them is rejected quickly.
static constexpr std::size_t kBytesReadAgain = std::size_t{16} << 20;

namespace {

// Result of one pass over the text: a tree, a repair to retry with, or an error in the sink.
struct Pass {
  std::optional<Document> document;
  bool repaired = false;
};

}  // namespace

static bool begins_without_marker(const Event& event) {
  return event.kind == EventKind::stream_end || (event.kind == EventKind::document_start && event.implicit);
}

static void report_missing_marker(const Event& event, diag::Sink& sink) {
  sink.report(diag::syntax_error, event.span, "missing `---` between the `%` lines and the document");
}

static Pass read_once(std::string_view text, source::Span part, InputBuffer& feed, Directives directives,
                      bool may_repair, bool tabs, const Limits& limits, diag::Sink& sink) {
  EventReader events(feed);
  TreeBuilder tree(text, part.begin, tabs, limits, sink);
  bool first = true;
  while (const std::optional<Event> event = events.next()) {
    if (first && directives == Directives::hidden && begins_without_marker(*event)) {
      report_missing_marker(*event, sink);
      return {};
    }
    first = false;
    if (!tree.add(*event)) {
      return {};
    }
    if (event->kind == EventKind::stream_end) {
      return {tree.take(), false};
    }
  }
  const Problem problem = events.problem();
  if (may_repair && repair(text, problem, feed)) {
    return {std::nullopt, true};
  }
  report_problem(text, problem, tree.open_bracket(), tree.is_document_over(), sink);
  return {};
}

// JSON may be indented with tabs, which YAML rejects. Strings of JSON contain none. Returns true if it has tabs.
static bool replace_tabs_of_json(const source::SourceFile& file, std::string_view text, InputBuffer& feed) {
  const bool json = base::to_lower(base::ending_of(file.name())) == "json";
  if (!json || text.find('\t') == std::string_view::npos || source::json_error_at(text)) {
    return false;
  }
  for (std::size_t at = text.find('\t'); at != std::string_view::npos; at = text.find('\t', at + 1)) {
    feed.replace(static_cast<std::uint32_t>(at), ' ');
  }
  return true;
}

std::optional<Document> read_yaml(const source::SourceFile& file, source::Span part, const Limits& limits,
                                  diag::Sink& sink) {
  if (!check_text(file, part, limits, sink)) {
    return std::nullopt;
  }
  const source::Span readable = without_mark(file, part);
  const std::string_view text = file.text().substr(0, readable.end);
  InputBuffer feed(text.substr(readable.begin), readable.begin);
  const bool tabs = replace_tabs_of_json(file, text, feed);
  const Directives directives = hide_directives(text, readable.begin, feed, sink);
  if (directives == Directives::refused) {
    return std::nullopt;
  }
  std::size_t bytes_read = 0;
  while (true) {
    bytes_read += feed.text().size();
    Pass pass = read_once(text, readable, feed, directives, bytes_read < kBytesReadAgain, tabs, limits, sink);
    if (!pass.repaired) {
      return std::move(pass.document);
    }
  }
}

LimitError Expansion::add(Cost cost) {
  nodes_ += cost.nodes;
  if (!levels_.empty()) {
    levels_.back().height = std::max(levels_.back().height, cost.height);
  }
  if (levels_.size() + cost.height > limits_.depth) {
    return LimitError::depth;
  }
  return nodes_ > limits_.nodes ? LimitError::nodes : LimitError::none;
}

LimitError Expansion::enter() {
  levels_.push_back({nodes_, 0});
  return add({1, 0});
}

Cost Expansion::leave() {
  const Level level = levels_.back();
  levels_.pop_back();
  const Cost cost{nodes_ - level.nodes_before, level.height + 1};
  if (!levels_.empty()) {
    levels_.back().height = std::max(levels_.back().height, cost.height);
  }
  return cost;
}

}  // namespace sparsecfg::doc
