// Runs what the pages of `sparsecfg explain` show, with the options that they print:
//
// - the command reports the example of the page;
// - its fix removes that finding and adds no error;
// - the valid example has no finding of the rule;
// - the page of a rule with an autofix has a fix.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask.h"
#include "cases.h"
#include "cmd/cli.h"
#include "diag/catalog.h"
#include "explain/parts.h"

namespace sparsecfg::golden {

using explain::Example;
using Json = nlohmann::json;
using Lines = std::vector<std::string>;

static Case case_named(std::string_view name) {
  static const std::vector<Case> cases = find_cases();
  const auto found = std::ranges::find(cases, name, [](const Case& each) { return each.sidecar(""); });
  return found == cases.end() ? Case{} : *found;
}

static Arguments words_of(std::string_view options, const Case& test) {
  Arguments words;
  std::istringstream line{std::string(options)};
  for (std::string word; line >> word;) {
    if (word.starts_with("{dir}")) word.replace(0, std::string_view("{dir}").size(), test.dialect);
    words.push_back(word);
  }
  return words;
}

struct Output {
  int status;
  std::string out, err;
};

static Output output_of(const Case& test, const Arguments& options) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const int status = cmd::run(with({test.command, test.path}, options), in, out, err);
  return {status, out.str(), err.str()};
}

static Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

static std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// Replaces the old lines of one change by its new lines, where the old ones are first. Returns false if they are
// nowhere.
static bool apply_change(Lines& text, const Lines& change) {
  Lines before;
  Lines after;
  for (const std::string& line : change) {
    if (!line.starts_with('+')) before.push_back(line.substr(1));
    if (!line.starts_with('-')) after.push_back(line.substr(1));
  }
  const auto place = std::ranges::search(text, before);
  if (before.empty() || place.empty()) return false;
  const auto at = text.erase(place.begin(), place.end());
  text.insert(at, after.begin(), after.end());
  return true;
}

// Writes the characters that reports escape: `\ufeff` becomes a byte-order mark.
static std::string unescaped(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEscapes = {
      {{"\\ufeff", "\xef\xbb\xbf"}, {"\\u200b", "\xe2\x80\x8b"}}};
  for (const auto& [escape, character] : kEscapes) {
    for (std::size_t at = text.find(escape); at != std::string::npos; at = text.find(escape)) {
      text.replace(at, escape.size(), character);
    }
  }
  return text;
}

// Returns a text to which the fix of a page is applied, or the same text if a change does not fit.
static std::string with_fix(const std::string& text, std::string_view fix) {
  Lines lines = lines_of(text);
  Lines change;
  Lines all = lines_of(std::string(fix));
  all.emplace_back("...");
  for (const std::string& line : all) {
    if (line != "...") {
      change.push_back(unescaped(line));
    } else if (!apply_change(lines, std::exchange(change, {}))) {
      return text;
    }
  }
  return joined(lines);
}

namespace {

class PageTest {
 public:
  explicit PageTest(const Example& example) : example_(example) {}

  [[nodiscard]] bool run() {
    check_finding();
    if (!example_.fix.empty()) check_fix();
    if (!example_.valid.empty()) check_valid();
    if ((example_.safe_fix || example_.unsafe_fix) && example_.fix.empty()) fail("there is an autofix, but no fix");
    return valid_;
  }

 private:
  void fail(std::string_view what) {
    std::cout << fmt::format("{} ({}): {}\n", example_.code, example_.name, what);
    valid_ = false;
  }

  // Compares words, since line breaks of a report and the folders in its locations are different.
  static std::string words(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string word; in >> word;) out += word.substr(word.rfind('/') + 1) + " ";
    return out;
  }

  void check_finding() {
    const Case test = case_named(example_.name);
    const Arguments options = words_of(example_.options, test);
    const Output printed = output_of(test, options);
    std::string shown = words(std::string(example_.finding));
    std::string all = words(printed.out + printed.err);
    for (std::size_t at = all.find("= explain: sparsecfg explain "); at != std::string::npos;
         at = all.find("= explain: sparsecfg explain ")) {
      all.erase(at, std::string_view("= explain: sparsecfg explain SP202 ").size());
    }
    if (all.find(shown) == std::string::npos) fail("the example is not what the command prints");
  }

  Json findings(const Case& test, const std::string& text) const {
    return findings_of(test, text, words_of(example_.options, test));
  }

  [[nodiscard]] std::ptrdiff_t count(const Json& findings) const {
    return std::ranges::count_if(findings, [&](const Json& each) { return each["code"] == example_.code; });
  }

  static std::ptrdiff_t errors(const Json& findings) {
    return std::ranges::count_if(findings, [](const Json& each) { return each["severity"] == "error"; });
  }

  void check_fix() {
    const Case test = case_named(example_.name);
    const std::string text = read_or_empty(test.path);
    const std::string fixed = with_fix(text, example_.fix);
    const Json before = findings(test, text);
    const Json after = findings(test, fixed);
    if (fixed == text) fail("the fix does not fit the recipe");
    if (count(after) >= count(before)) fail("the fix does not remove the finding");
    if (errors(after) > errors(before)) fail("the fix adds an error");
  }

  void check_valid() {
    const Case test = case_named(example_.valid_name);
    const Output printed = output_of(test, words_of(example_.valid_options, test));
    if (printed.status > 1) fail("the command fails on the valid example");
    for (const char* end : {"]", ","}) {
      if ((printed.out + printed.err).find(std::string(example_.code) + end) != std::string::npos) {
        fail(fmt::format("the rule reports the valid example {}", example_.valid_name));
      }
    }
  }

  const Example& example_;
  bool valid_ = true;
};

}  // namespace

}  // namespace sparsecfg::golden

int main() {
  using namespace sparsecfg;
  golden::set_up_environment();
  std::size_t pages = 0;
  std::size_t wrong = 0;
  std::size_t fixes = 0;
  std::size_t valid = 0;
  for (const diag::Info* info : diag::catalog()) {
    const explain::Example* example = explain::find_example(info->code);
    if (example == nullptr) continue;
    ++pages;
    fixes += example->fix.empty() ? 0 : 1;
    valid += example->valid.empty() ? 0 : 1;
    wrong += golden::PageTest(*example).run() ? 0 : 1;
  }
  std::cout << fmt::format("{} pages with an example, {} with a fix, {} with a valid example: {} wrong\n", pages, fixes,
                           valid, wrong);
  return wrong == 0 && pages > 0 ? 0 : 1;
}
