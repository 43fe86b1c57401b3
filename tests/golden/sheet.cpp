#include "sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

#include "cases.h"

namespace sparsecfg::golden {

static constexpr std::string_view kPerCase = "per case";

// Returns true, and the rest of the line in `value`, if the line is "<key>: <value>".
static bool is_field(const std::string& line, std::string_view key, std::string& value) {
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with(": ")) return false;
  value = line.substr(key.size() + 2);
  return true;
}

static bool is_header(const std::string& line, SheetGroup& group) {
  return is_field(line, "why", group.why) || is_field(line, "cites", group.cites) ||
         is_field(line, "expect", group.expect);
}

// Reads the lines of a case before its recipe: an expectation, if the group has none, and the command.
static void read_command(std::istringstream& lines, SheetCase& test) {
  std::string line;
  std::getline(lines, line);
  if (is_field(line, "expect", test.expect)) std::getline(lines, line);
  test.command = line.substr(std::min<std::size_t>(2, line.size()));
}

Sheet parse_sheet(const std::string& path) {
  Sheet sheet{path};
  std::istringstream lines(read_or_empty(path));
  std::string* part = &sheet.introduction;
  bool header = false;  // between the name of a group and its first case
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) {
      sheet.groups.push_back({line.substr(3), "", "", ""});
      header = true;
    } else if (line.starts_with("=== ") && !sheet.groups.empty()) {
      SheetCase& added = sheet.groups.back().cases.emplace_back();
      added.title = line.substr(4);
      read_command(lines, added);
      part = &added.recipe;
      header = false;
    } else if (!header || !(line.empty() || is_header(line, sheet.groups.back()))) {
      if (line.starts_with("=> ") && part != &sheet.introduction) part = &sheet.groups.back().cases.back().output;
      *part += line + '\n';
    }
  }
  return sheet;
}

static std::string text_of(const SheetCase& test) {
  const std::string expect = test.expect.empty() ? "" : "expect: " + test.expect + '\n';
  return fmt::format("=== {}\n{}$ {}\n{}{}", test.title, expect, test.command, test.recipe, test.output);
}

std::string text_of(const Sheet& sheet) {
  std::string text = sheet.introduction;
  for (const SheetGroup& group : sheet.groups) {
    text += fmt::format("## {}\nwhy: {}\ncites: {}\nexpect: {}\n\n", group.name, group.why, group.cites, group.expect);
    for (const SheetCase& each : group.cases) text += text_of(each);
  }
  return text;
}

// Returns the codes in a text, such as SP205.
static std::set<std::string> codes_in(std::string_view text) {
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> codes;
  for (std::size_t at = 0; at + 5 <= text.size(); ++at) {
    const std::string_view code = text.substr(at, 5);
    const bool apart = (at == 0 || !is_word(text[at - 1])) && (at + 5 == text.size() || !is_word(text[at + 5]));
    if (apart && std::ranges::all_of(code.substr(0, 2), is_upper) && std::ranges::all_of(code.substr(2), is_digit)) {
      codes.emplace(code);
    }
  }
  return codes;
}

Expectation parse_expectation(const std::string& text) {
  const std::string required = text.substr(0, text.find(';'));
  std::istringstream words(text);
  std::string exit;
  Expectation expectation;
  words >> exit >> expectation.status;
  expectation.required = codes_in(required);
  expectation.allowed = codes_in(text);
  return expectation;
}

std::string contradiction(const Expectation& expectation, const std::string& output) {
  const std::string status = fmt::format("=> {}\n", expectation.status);
  if (!output.starts_with(status)) return fmt::format("the exit status is not {}", expectation.status);
  const std::set<std::string> codes = codes_in(output);
  for (const std::string& code : expectation.required) {
    if (!codes.contains(code)) return code + " is not reported";
  }
  for (const std::string& code : codes) {
    if (!expectation.allowed.contains(code)) return code + " is reported, too";
  }
  return "";
}

static const std::string& page(const std::string& path) {
  static std::map<std::string, std::string> pages;
  const auto [found, added] = pages.try_emplace(path);
  if (added) found->second = read_or_empty(std::string(testdata()) + "/../" + path);
  return found->second;
}

static bool resolves(const std::string& citation) {
  const std::size_t mark = citation.find('#');
  const std::string path = citation.substr(0, mark);
  const std::string& text = page(path);
  const bool section = mark != std::string::npos;
  return !text.empty() && (!section || text.find("id=\"" + citation.substr(mark + 1) + "\"") != std::string::npos);
}

static std::vector<std::string> header_problems(const SheetGroup& group) {
  std::vector<std::string> lines;
  if (group.why.empty()) lines.emplace_back("no reason");
  std::istringstream cites(group.cites);
  const std::vector<std::string> citations{std::istream_iterator<std::string>(cites), {}};
  if (citations.empty()) lines.emplace_back("no citation");
  for (const std::string& each : citations) {
    if (!resolves(each)) lines.push_back("there is no " + each);
  }
  return lines;
}

std::vector<std::string> problems(const Sheet& sheet) {
  std::vector<std::string> lines;
  for (const SheetGroup& group : sheet.groups) {
    for (const std::string& each : header_problems(group))
      lines.push_back(sheet.path + ": " + group.name + ": " + each);
    for (const SheetCase& test : group.cases) {
      const std::string& expect = group.expect == kPerCase ? test.expect : group.expect;
      const std::string found = contradiction(parse_expectation(expect), test.output);
      if (!found.empty()) lines.push_back(sheet.name(test) + ": " + found + ", see `" + group.name + "`");
    }
  }
  return lines;
}

}  // namespace sparsecfg::golden
