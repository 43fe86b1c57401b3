// What --fix promises, on every recipe of testdata/validate:
//
// - fixed twice is fixed once, and no safe fix is offered any more;
// - safe fixes leave every number of the timeline as it is, unless they give back what the framework
//   silently drops;
// - where each error has a safe fix no error is left.
//
// testdata/autofixes.txt lists the rules that have fixes, for `sparsecfg explain`; `fixes --update` writes it.

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "ask.h"
#include "cases.h"
#include "diag/catalog.h"
#include "source/save.h"

namespace sparsecfg::golden {

using Json = nlohmann::json;
using Autofixes = std::map<std::string, std::set<std::string>>;  // "safe" and "unsafe" by code

namespace {

class FixTest : private RecipeTest {
 public:
  FixTest(const Case& test, Autofixes& autofixes) : RecipeTest(test), autofixes_(autofixes) {}

  [[nodiscard]] bool run() {
    const Json before = findings(text_);
    if (std::ranges::none_of(before, [](const Json& finding) { return finding.contains("fix"); })) {
      return true;
    }
    record(before);
    const std::string fixed = fix(text_, {});
    check_once(fixed, {});
    check_timeline(before, fixed);
    check_rest(before, findings(fixed));
    check_once(fix(text_, {"--unsafe-fixes"}), {"--unsafe-fixes"});
    return valid_;
  }

 private:
  void record(const Json& findings) {
    for (const Json& finding : findings) {
      if (!finding.contains("fix")) continue;
      autofixes_[finding["code"].get<std::string>()].insert(finding["fix"]["applicability"].get<std::string>());
    }
  }

  std::string fix(const std::string& text, const Arguments& more) const {
    return ask("validate", test_, text, with(with({"--fix", "--verbose"}, more), arguments_)).out;
  }

  Json findings(const std::string& text) const { return findings_of(test_, text, arguments_); }

  static bool is_safe(const Json& finding) {
    return finding.contains("fix") && finding["fix"]["applicability"] == "safe";
  }

  void check_once(const std::string& fixed, const Arguments& more) {
    if (fix(fixed, more) != fixed) fail("is fixed anew");
  }

  // Without the header: a fix may give an action another class.
  std::string timeline(const std::string& text) const {
    const std::string table = timeline_of(test_, text, arguments_);
    return table.empty() ? table : table.substr(table.find('\n'));
  }

  void check_timeline(const Json& before, const std::string& fixed) {
    const auto gives_back = [](const Json& finding) {
      return is_safe(finding) && diag::find(finding["code"].get<std::string>())->silent_loss;
    };
    const std::string numbers = timeline(text_);
    if (!numbers.empty() && std::ranges::none_of(before, gives_back) && numbers != timeline(fixed)) {
      fail("has another timeline when it is fixed");
    }
  }

  void check_rest(const Json& before, const Json& after) {
    const auto is_error = [](const Json& finding) { return finding["severity"] == "error"; };
    const bool all =
        std::ranges::all_of(before, [&](const Json& finding) { return !is_error(finding) || is_safe(finding); });
    for (const Json& finding : after) {
      if (is_safe(finding)) fail("still offers a safe fix for " + finding["code"].get<std::string>());
      if (all && is_error(finding)) fail("has this error when it is fixed: " + finding["message"].get<std::string>());
    }
  }

  Autofixes& autofixes_;
};

}  // namespace

// Writes the list of autofixes, or compares it with the recorded one.
static bool check_list(const Autofixes& autofixes, bool updating) {
  constexpr const char* kList = "autofixes.txt";
  std::string text;
  for (const auto& [code, kinds] : autofixes) {
    text += code;
    for (const std::string& kind : kinds) text += " " + kind;
    text += "\n";
  }
  if (updating) return !source::write_file(kList, text);
  const std::string recorded = read_or_empty(kList);
  if (text != recorded) std::cout << "testdata/autofixes.txt is out of date: run `fixes --update`\n";
  return text == recorded;
}

}  // namespace sparsecfg::golden

int main(int argc, char** argv) {
  using namespace sparsecfg::golden;
  const bool updating = argc > 1 && std::string_view(argv[1]) == "--update";
  Autofixes autofixes;
  const int status = test_recipes([&](const Case& each) { return FixTest(each, autofixes).run(); });
  return check_list(autofixes, updating) ? status : 1;
}
