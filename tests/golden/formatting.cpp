// What `normalize` promises, on every recipe of testdata/validate that it changes:
//
// - formatted twice is formatted once;
// - the findings are the same ones, those that a comment of the recipe accepts included;
// - the timeline is the same, also with another value for a variable.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ask.h"
#include "cases.h"

namespace sparsecfg::golden {

using Json = nlohmann::json;

namespace {

class FormatTest {
 public:
  explicit FormatTest(const Case& test)
      : test_(test), arguments_(reading_arguments(test)), text_(read_or_empty(test.path)) {}

  // Returns true if the recipe can be formatted and its layout changes.
  [[nodiscard]] bool changes() {
    const Answer answer = format(text_);
    formatted_ = answer.out;
    return answer.status == 0 && formatted_ != text_;
  }

  [[nodiscard]] bool run() {
    if (format(formatted_).out != formatted_) fail("is formatted anew");
    if (findings(text_) != findings(formatted_)) fail("has other findings when it is formatted");
    check_timeline({}, "has another timeline when it is formatted");
    check_timeline({"--set", "num_epochs=40"}, "takes variables otherwise when it is formatted");
    return valid_;
  }

 private:
  Answer format(const std::string& text) const {
    Arguments arguments;
    if (const auto from = std::ranges::find(arguments_, "--from"); from != arguments_.end()) {
      arguments = {"--from", *std::next(from)};
    }
    return ask("normalize", test_, text, arguments);
  }

  // In an order of their own, since fields may be in another order.
  std::vector<std::string> findings(const std::string& text) const {
    std::vector<std::string> all;
    for (const Json& each : findings_of(test_, text, arguments_)) {
      all.push_back(fmt::format("{} {}", each["severity"].get<std::string>(), each["code"].get<std::string>()));
    }
    std::ranges::sort(all);
    return all;
  }

  void check_timeline(const Arguments& more, const std::string& what) {
    const Arguments arguments = with(arguments_, more);
    if (timeline_of(test_, text_, arguments) != timeline_of(test_, formatted_, arguments)) fail(what);
  }

  void fail(const std::string& what) {
    std::cout << fmt::format("{}: {}\n", test_.path, what);
    valid_ = false;
  }

  const Case& test_;
  Arguments arguments_;
  std::string text_;
  std::string formatted_;
  bool valid_ = true;
};

}  // namespace

static int main() {
  std::filesystem::current_path(testdata());
  std::size_t failed = 0;
  std::size_t changed = 0;
  for (const Case& each : find_cases()) {
    FormatTest test(each);
    if (each.command == "validate" && test.changes()) {
      ++changed;
      failed += test.run() ? 0 : 1;
    }
  }
  std::cout << fmt::format("{} of {} recipes failed\n", failed, changed);
  return failed == 0 && changed > 0 ? 0 : 1;
}

}  // namespace sparsecfg::golden

int main() { return sparsecfg::golden::main(); }
