#include <fmt/format.h>

#include "base/text.h"
#include "explain/drawings.h"
#include "explain/examples.h"
#include "explain/explain.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

// The release from which on a code is reported. A code that a later release adds gets a case here.
static std::string_view release_of(std::string_view /*code*/) { return "0.2.0"; }

// The help of the catalogue with "..." for what a report fills in.
static std::string general_help(std::string_view help) {
  std::string out;
  for (std::size_t at = 0; at < help.size(); ++at) {
    if (help[at] == '{' && at + 1 < help.size() && help[at + 1] != '{') {
      out += "...";
      at = std::min(help.find('}', at), help.size());
    } else {
      out += help[at];
      at += (help[at] == '{' || help[at] == '}') ? 1 : 0;
    }
  }
  return out;
}

static std::string_view fixes_of(const Example& example) {
  return example.safe_fix && example.unsafe_fix ? "sometimes with --fix, sometimes with --fix --unsafe-fixes"
         : example.safe_fix                     ? "with --fix"
         : example.unsafe_fix                   ? "with --fix --unsafe-fixes"
                                                : "by hand";
}

static void add_example(Page& page, const Example& example) {
  page.push_back({Kind::text, "What is said of it, here in a test case:"});
  page.push_back({Kind::verbatim, std::string(example.finding)});
  if (!example.right.empty()) {
    page.push_back({Kind::text, example.is_fix ? "What to write instead:" : "Close to it, and accepted:"});
    page.push_back({Kind::verbatim, std::string(example.right)});
  }
}

Page page_of(const diag::Info& info) {
  const Example* example = find_example(info.code);
  Page page{{Kind::section, fmt::format("{} {} ({})", info.code, info.name, diag::to_string(info.severity))},
            {Kind::text, std::string(info.explanation)},
            {Kind::item, general_help(info.help), "what to write"},
            {Kind::item, std::string(example == nullptr ? "by hand" : fixes_of(*example)), "how it is fixed"},
            {Kind::item, fmt::format("sparsecfg {}", release_of(info.code)), "since"}};
  if (std::string drawing = drawing_of(info.code); !drawing.empty()) {
    page.push_back({Kind::verbatim, std::move(drawing)});
  }
  if (example != nullptr) {
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
  Page out{{Kind::title, "Diagnostics of sparsecfg"},
           {Kind::text, "One section for each code. `sparsecfg explain CODE` prints the same."}};
  for (const diag::Info* info : diag::catalog()) {
    for (Block& block : page_of(*info)) out.push_back(std::move(block));
  }
  return out;
}

}  // namespace sparsecfg::explain
