#include "format/format.h"

#include "base/text.h"
#include "lsp/features.h"

namespace sparsecfg::lsp {

using source::Span;

// Splits text into lines, including line ends.
static std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// If the number of lines stays the same, lines are replaced individually, so that the editor keeps cursors and folds.
Json edits_between(const Text& before, const std::string& after) {
  Json edits = Json::array();
  const std::vector<std::string_view> old_lines = lines_of(before.bytes());
  const std::vector<std::string_view> new_lines = lines_of(after);
  std::uint32_t begin = 0;
  for (std::size_t at = 0; old_lines.size() == new_lines.size() && at < old_lines.size(); ++at) {
    const auto end = begin + static_cast<std::uint32_t>(old_lines[at].size());
    if (old_lines[at] != new_lines[at]) {
      edits.push_back(edit_json(before.range({begin, end}), std::string(new_lines[at])));
    }
    begin = end;
  }
  if (old_lines.size() != new_lines.size()) {
    const Difference changed = difference(before.bytes(), after);
    edits.push_back(edit_json(before.range(changed.before),
                              after.substr(changed.after.begin, changed.after.end - changed.after.begin)));
  }
  return edits;
}

// Returns true for recipes in scripts, notebooks and blocks of Markdown.
static bool is_part_of_file(const Compilation& compilation) {
  constexpr std::string_view kParts[] = {"objects", "string", "fence", "script"};
  const std::string_view form = compilation.recipes.empty() ? "" : std::string_view(compilation.recipes.front().form);
  const std::string ending = base::to_lower(base::ending_of(compilation.file->name()));
  return base::contains(kParts, form) || ending == "py" || ending == "ipynb";
}

// Returns null for documents that `normalize` does not format: scripts, unreadable documents and non-recipes.
Json formatting(Workspace& workspace, const Json& params) {
  Document& document = workspace.document(params);
  if (document.formatting) {
    return *document.formatting;
  }
  const Reading* good = document.good();
  if (good == nullptr || !document.is_current() || good->dialect == nullptr || is_part_of_file(good->compilation)) {
    return {};
  }
  diag::Sink ignored;
  const auto formatted = format::format(*good->compilation.file, good->dialect->order,
                                        workspace.options_of(document).compile.limits, ignored);
  if (!formatted) {
    return {};
  }
  if (formatted->faulty) {
    throw RequestError{ErrorCode::request_failed, "internal error: formatting would change the meaning"};
  }
  return document.formatting.emplace(edits_between(document.text(), formatted->text));
}

}  // namespace sparsecfg::lsp
