#include <fmt/format.h>

#include "diag/catalog.h"
#include "explain/explain.h"
#include "explain/parts.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

static void add_example(Page& page, const Example& example) {
  page.push_back({Kind::text, "Example output:"});
  page.push_back({Kind::verbatim, std::string(example.finding)});
  if (!example.right.empty()) {
    page.push_back({Kind::text, example.is_fix ? "Fix:" : "Valid example:"});
    page.push_back({Kind::verbatim, std::string(example.right)});
  }
}

Page page_of(const diag::Info& info) {
  const diag::Family* family = diag::family_of(info.code);
  Page page{{Kind::section, fmt::format("{} {} ({})", info.code, info.name, diag::to_string(info.severity))},
            {Kind::text, std::string(info.explanation)},
            {Kind::fact, without_arguments(info.help), "How to fix"},
            {Kind::fact, std::string(autofix_of(info.code)), "Autofix"}};
  if (family != nullptr) {
    page.push_back({Kind::fact, fmt::format("{} ({})", family->name, family->prefix), "Family"});
  }
  if (std::string drawing = drawing_of(info.code); !drawing.empty()) {
    page.push_back({Kind::verbatim, std::move(drawing)});
  }
  if (const Example* example = find_example(info.code); example != nullptr) {
    add_example(page, *example);
  }
  return page;
}

Page list_of_codes() {
  Page page;
  for (const diag::Info* info : diag::catalog()) {
    page.push_back({Kind::line, fmt::format("{}  {:7}  {}", info->code, diag::to_string(info->severity), info->name)});
  }
  return page;
}

Page all_diagnostics() {
  Page out{{Kind::title, "Rules of sparsecfg"},
           {Kind::text, "One section per rule. `sparsecfg explain CODE` prints the same text."}};
  for (const diag::Info* info : diag::catalog()) {
    for (Block& block : page_of(*info)) out.push_back(std::move(block));
  }
  return out;
}

}  // namespace sparsecfg::explain
