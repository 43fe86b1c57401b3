// Runs commands on the small recipes of sheets and compares their output. sheet.h describes the format of a sheet.
// `validate` prints all findings, as `place: code message`.
//
// Outputs are shortened: of the lines that a finding shows, only the marks stay, as `line:column ^^^ label`, with the
// column of the shown part of the line; of a program for PyTorch, only the recipe and the names of what follows it.
//
// Lines before the first case are comments. The recipe is passed by standard input, as recipe.yaml if the command names
// no other file. `sheets --update` records the outputs; `sheets --until-failure CASE...` stops at the first failure.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cases.h"
#include "cmd/cli.h"
#include "difference.h"
#include "sheet.h"
#include "source/save.h"

namespace sparsecfg::golden {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

static Words arguments_of(const SheetCase& test) {
  std::istringstream line(test.command);
  Words words{std::istream_iterator<std::string>(line), {}};
  const auto has = [&](std::string_view option) { return std::ranges::find(words, option) != words.end(); };
  if (!has("--stdin-filename")) words.insert(words.end(), {"--stdin-filename", "recipe.yaml"});
  if (!words.empty() && words.front() == "validate" && !has("--format") && !has("--diff")) {
    words.insert(words.end(), {"--format", "concise", "--verbose"});
  }
  words.insert(words.begin() + 1, "-");
  return words;
}

// "recipe.yaml:3:5: error: message [SP105 unknown-field]" -> "recipe.yaml:3:5: SP105 message"
static std::string shortened(const std::string& line) {
  const std::size_t end = line.rfind(" [");
  for (const std::string_view severity : {": error: ", ": warning: ", ": info: "}) {
    const std::size_t at = line.find(severity);
    if (at == std::string::npos || end == std::string::npos || end < at) continue;
    const std::size_t message = at + severity.size();
    const std::string code = line.substr(end + 2, line.find(' ', end + 2) - end - 2);
    return fmt::format("{}: {} {}", line.substr(0, at), code, line.substr(message, end - message));
  }
  return line;
}

static std::string shortened_lines(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += shortened(line) + '\n';
  return out;
}

// Returns true for the part after the number in a line of an excerpt.
static bool begins_margin(std::string_view text) {
  return text == "|" || text.starts_with("| ") || text.starts_with(" |");
}

// Findings as text repeat the lines of the recipe behind a margin: "12 | - !Modifier" and "   |   ^^^ label".
static std::string without_lines_of_recipe(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  std::string number;
  for (std::string line; std::getline(in, line);) {
    const std::size_t word = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t margin = line.find_first_not_of("0123456789", word);
    if (line.substr(word).starts_with("= explain: sparsecfg explain ")) continue;
    if (margin == std::string::npos || !begins_margin(std::string_view(line).substr(margin))) {
      out += line + '\n';
      continue;
    }
    if (margin > word) {
      number = line.substr(word, margin - word);
      continue;
    }
    const std::size_t mark = line.find_first_not_of(' ', margin + 1);
    if (mark == std::string::npos) continue;
    out += fmt::format("  {}:{} {}\n", number, mark - margin - 1, line.substr(mark));
  }
  return out;
}

static std::string without_bodies(const std::string& program) {
  const std::size_t end = program.find("\n\n\n", std::min(program.find("\ndef recipe():"), program.size()));
  if (end == std::string::npos) return program;
  std::istringstream in(program.substr(end));
  std::string out = program.substr(0, end) + '\n';
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != ' ' && line.front() != ')' && line.front() != '@') out += line + '\n';
  }
  return out;
}

static std::string shortened_output(const std::string& command, const std::string& text) {
  if (command.find("--to pytorch") != std::string::npos) return without_bodies(text);
  return command.starts_with("validate") ? without_lines_of_recipe(shortened_lines(text)) : text;
}

// Blank lines part the cases of a sheet, so the output ends with one.
static std::string output_of(const SheetCase& test) {
  std::istringstream in(test.recipe);
  std::ostringstream out;
  std::ostringstream err;
  const int status = cmd::run(arguments_of(test), in, out, err);
  std::string text =
      fmt::format("=> {}\n{}{}", status, shortened_output(test.command, out.str()), without_lines_of_recipe(err.str()));
  while (text.ends_with('\n')) text.pop_back();
  return text + "\n\n";
}

// The sheets of the cases with these names; without names, all.
static std::vector<Sheet> read_sheets(const Words& names) {
  std::vector<Sheet> sheets;
  for (const auto& each : fs::directory_iterator("sheets")) {
    const std::string& path = each.path().native();
    const auto holds = [&](const std::string& name) { return name.starts_with(path + ": "); };
    const bool wanted = names.empty() || std::ranges::any_of(names, holds);
    if (each.is_regular_file() && wanted) sheets.push_back(parse_sheet(path));
  }
  std::ranges::sort(sheets, {}, &Sheet::path);
  return sheets;
}

static bool passes(const Sheet& sheet, const SheetCase& test) {
  const std::string text = difference(sheet.name(test), test.output, output_of(test));
  std::cout << text;
  return text.empty();
}

// Calls `visit` for each case until it returns false.
static void for_each_case(const std::vector<Sheet>& sheets,
                          const std::function<bool(const Sheet&, const SheetCase&)>& visit) {
  for (const Sheet& sheet : sheets) {
    for (const SheetGroup& group : sheet.groups) {
      for (const SheetCase& test : group.cases) {
        if (!visit(sheet, test)) return;
      }
    }
  }
}

static std::size_t print_problems(const std::vector<Sheet>& sheets) {
  std::size_t count = 0;
  for (const Sheet& sheet : sheets) {
    for (const std::string& line : problems(sheet)) {
      std::cout << line << '\n';
      ++count;
    }
  }
  return count;
}

static int check_all(const std::vector<Sheet>& sheets, const std::string& pattern) {
  std::size_t failed = 0;
  std::size_t all = 0;
  for_each_case(sheets, [&](const Sheet& sheet, const SheetCase& test) {
    if (sheet.name(test).find(pattern) == std::string::npos) return true;
    failed += passes(sheet, test) ? 0 : 1;
    ++all;
    return true;
  });
  const std::size_t problems = pattern.empty() ? print_problems(sheets) : 0;
  std::cout << fmt::format("{} of {} cases failed\n", failed, all);
  return failed == 0 && problems == 0 && all > 0 ? 0 : 1;
}

static int check_until_failure(const std::vector<Sheet>& sheets, const Words& names) {
  bool passed = true;
  for_each_case(sheets, [&](const Sheet& sheet, const SheetCase& test) {
    if (std::ranges::find(names, sheet.name(test)) != names.end()) passed = passes(sheet, test);
    return passed;
  });
  return passed ? 0 : 1;
}

static int update_all(std::vector<Sheet> sheets) {
  for (Sheet& sheet : sheets) {
    for (SheetGroup& group : sheet.groups) {
      for (SheetCase& test : group.cases) test.output = output_of(test);
    }
    if (const auto failure = source::write_file(sheet.path, text_of(sheet))) {
      std::cerr << *failure << '\n';
      return 1;
    }
  }
  return print_problems(sheets) == 0 ? 0 : 1;
}

static int list(const std::vector<Sheet>& sheets) {
  for_each_case(sheets, [](const Sheet& sheet, const SheetCase& test) {
    std::cout << sheet.name(test) << '\n';
    return true;
  });
  return 0;
}

static int main(const Words& arguments) {
  set_up_environment();
  const std::string first = arguments.empty() ? "" : arguments.front();
  const Words names(arguments.begin() + std::min<std::ptrdiff_t>(1, std::ssize(arguments)), arguments.end());
  std::vector<Sheet> sheets = read_sheets(first == "--until-failure" ? names : Words());
  if (first == "--list") return list(sheets);
  if (first == "--update") return may_record() ? update_all(std::move(sheets)) : 2;
  if (first == "--until-failure") return check_until_failure(sheets, names);
  return check_all(sheets, first);
}

}  // namespace sparsecfg::golden

int main(int count, char** arguments) {
  try {
    return sparsecfg::golden::main({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 70;
  }
}
