#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "diag/catalog.h"
#include "explain/explain.h"
#include "explain/parts.h"

namespace sparsecfg::explain {

using Kind = Block::Kind;

// Returns " (`convert --to nni`)" for a case of testdata/convert, or an empty string for `validate` without options.
static std::string command_of(std::string_view name, std::string_view options) {
  const std::string_view command = name.substr(0, name.find('/'));
  std::string out(command);
  for (std::string_view rest = options; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    out += ' ';
    out += word.starts_with("{dir}") ? word.substr(word.rfind('/') + 1) : word;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out == "validate" ? "" : fmt::format(" (`{}`)", out);
}

static void add_example(Page& page, const Example& example) {
  page.push_back({Kind::text, fmt::format("Example output{}:", command_of(example.name, example.options))});
  page.push_back({Kind::verbatim, std::string(example.finding)});
  if (!example.fix.empty()) {
    page.push_back({Kind::text, "Fix:"});
    page.push_back({Kind::verbatim, std::string(example.fix)});
  } else if (!example.valid.empty()) {
    page.push_back(
        {Kind::text, fmt::format("Valid example{}:", command_of(example.valid_name, example.valid_options))});
    page.push_back({Kind::verbatim, std::string(example.valid)});
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
  if (std::string statements = statements_of(info.code); !statements.empty()) {
    page.push_back({Kind::fact, std::move(statements), "Framework behavior"});
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
    for (Block& block : explain::page_of(*info)) out.push_back(std::move(block));
  }
  return out;
}

using Rules = std::vector<const diag::Info*>;

static Rules rules_of(const diag::Family& family) {
  Rules rules;
  std::ranges::copy_if(diag::catalog(), std::back_inserter(rules),
                       [&](const diag::Info* info) { return diag::family_of(info->code) == &family; });
  return rules;
}

static std::string rules_as_text() {
  std::size_t width = 0;
  for (const diag::Info* info : diag::catalog()) width = std::max(width, info->name.size());
  std::string out;
  for (const diag::Family& family : diag::families()) {
    out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", family.prefix, family.name);
    for (const diag::Info* info : rules_of(family)) {
      out += fmt::format("  {}  {:<{}}  {:7}  {:14}  {}\n", info->code, info->name, width,
                         diag::to_string(info->severity), autofix_of(info->code), summary_of(*info));
    }
  }
  return out;
}

static std::string cell_of(std::string_view text) {
  std::string out = markdown_text(text);
  for (std::size_t at = out.find('|'); at != std::string::npos; at = out.find('|', at + 2)) out.insert(at, "\\");
  return out;
}

static std::string rules_as_markdown() {
  std::string out = fmt::format(
      "# Rules\n\nsparsecfg has {} rules in {} families. A code never changes its meaning. `sparsecfg explain CODE` "
      "prints the page of a rule.\n\n"
      "- **error**: the framework rejects the recipe, fails later, or silently drops a part of it.\n"
      "- **warning**: the recipe runs, but probably not as intended.\n"
      "- **info**: worth knowing; printed with `--verbose`.\n",
      diag::catalog().size(), diag::families().size());
  for (const diag::Family& family : diag::families()) {
    out += fmt::format("\n## {}: {}\n\n{}\n\n| code | name | severity | autofix | message |\n|---|---|---|---|---|\n",
                       family.prefix, family.name, family.scope);
    for (const diag::Info* info : rules_of(family)) {
      out += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} | {4} |\n", info->code, info->name,
                         diag::to_string(info->severity), autofix_of(info->code), cell_of(summary_of(*info)));
    }
  }
  return out;
}

static std::string rules_as_json() {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const diag::Family& family : diag::families()) {
    nlohmann::ordered_json rules = nlohmann::ordered_json::array();
    for (const diag::Info* info : rules_of(family)) {
      rules.push_back({{"code", info->code},
                       {"name", info->name},
                       {"severity", diag::to_string(info->severity)},
                       {"autofix", autofix_of(info->code)},
                       {"summary", summary_of(*info)},
                       {"explanation", info->explanation},
                       {"help", without_arguments(info->help)}});
    }
    families.push_back({{"prefix", family.prefix}, {"name", family.name}, {"scope", family.scope}, {"rules", rules}});
  }
  return nlohmann::ordered_json{{"format", 1}, {"families", families}}.dump(2) + "\n";
}

std::string list_of_rules(Form form) {
  switch (form) {
    case Form::text:
    case Form::man: return rules_as_text();
    case Form::markdown: return rules_as_markdown();
    case Form::json: return rules_as_json();
  }
  return {};
}

}  // namespace sparsecfg::explain
