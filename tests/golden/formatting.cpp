// What `normalize` promises, on every recipe of testdata/validate that it changes:
//
// - formatted twice is formatted once;
// - the findings are the same ones, those that a comment of the recipe accepts included;
// - the timeline is the same, also with another value for a variable.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ask.h"
#include "cases.h"

namespace sparsecfg::golden {

using Json = nlohmann::json;

namespace {

class FormatTest : private RecipeTest {
 public:
  explicit FormatTest(const Case& test) : RecipeTest(test) {}

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

  std::string formatted_;
};

}  // namespace

}  // namespace sparsecfg::golden

int main() {
  using namespace sparsecfg::golden;
  return test_recipes([](const Case& each) {
    FormatTest test(each);
    return test.changes() ? std::optional(test.run()) : std::nullopt;
  });
}
