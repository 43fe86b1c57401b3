#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "lsp/features.h"

namespace sparsecfg::lsp {

namespace {

// A line of YAML that may start a block.
struct Row {
  std::uint32_t number = 0;
  std::size_t indent = 0;  // doubled; list items are half a level deeper than a key in the same column
  bool is_comment = false;
};

}  // namespace

static std::vector<Row> rows_of(const Text& text, std::uint32_t count) {
  std::vector<Row> out;
  for (std::uint32_t number = 0; number < count; ++number) {
    const source::Span span = text.line(number);
    const std::string_view line = std::string_view(text.bytes()).substr(span.begin, span.end - span.begin);
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || base::trim(line).empty()) continue;
    const bool is_item = line.substr(indent).starts_with("- ");
    out.push_back({number, 2 * indent + (is_item ? 1 : 0), line[indent] == '#'});
  }
  return out;
}

static void add_range(Json& out, std::uint32_t first, std::uint32_t last, bool is_comment) {
  if (last <= first || out.size() >= limits::kMaxSymbols) return;
  Json range = {{"startLine", first}, {"endLine", last}};
  if (is_comment) range["kind"] = "comment";
  out.push_back(std::move(range));
}

Json folding_ranges(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document_while_typing(params);
  const std::string ending = base::to_lower(base::ending_of(document.path()));
  Json out = Json::array();
  if (ending != "yaml" && ending != "yml") return out;
  const Text& text = document.text();
  const std::uint32_t count = text.line_of(static_cast<std::uint32_t>(text.bytes().size())) + 1;
  const std::vector<Row> rows = rows_of(text, count);
  std::vector<const Row*> open;
  const Row* last = nullptr;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Row& row = rows[at];
    if (row.is_comment) {
      std::size_t end = at;
      while (end + 1 < rows.size() && rows[end + 1].is_comment && rows[end + 1].number == rows[end].number + 1) ++end;
      add_range(out, row.number, rows[end].number, true);
      at = end;
      continue;
    }
    while (!open.empty() && open.back()->indent >= row.indent) {
      add_range(out, open.back()->number, last->number, false);
      open.pop_back();
    }
    open.push_back(&row);
    last = &row;
  }
  for (; !open.empty(); open.pop_back()) add_range(out, open.back()->number, last->number, false);
  return out;
}

}  // namespace sparsecfg::lsp
