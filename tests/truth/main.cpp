// Compares sparsecfg with the recorded behavior of the frameworks in testdata/truth. See the README there.
//
//   truth              compares all cases, and checks that the published figures are current
//   truth --update     also publishes the figures: tests/agreement.json and docs/how-it-is-tested.md
//   truth PATTERN      compares the cases whose names contain PATTERN, such as `distiller/agp`

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "checks.h"
#include "figures.h"
#include "tests/golden/cases.h"

namespace sparsecfg::truth {

// Known disagreements. A line of differences.txt that is not indented gives the reason for the indented lines below it,
// each of which names a case and a check.
static std::set<std::string> known_differences() {
  std::set<std::string> known;
  std::ifstream in(root() + "/differences.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  ")) known.insert(line.substr(2));
  }
  return known;
}

class Comparison {
 public:
  explicit Comparison(std::string pattern) : pattern_(std::move(pattern)), left_(known_differences()) {}

  void compare_framework(const std::string& framework) {
    std::filesystem::current_path(root() + "/" + framework);
    for (const Case& test : cases_of(framework)) {
      if (test.name().find(pattern_) != std::string::npos) compare(test, figures_[framework]);
    }
  }

  // Reports known differences that were not found. Returns true if there was no failure.
  [[nodiscard]] bool finish() {
    for (const std::string& each : left_) {
      if (each.find(pattern_) != std::string::npos) fail(each + ": agrees now; delete the line in differences.txt");
    }
    std::size_t cases = 0;
    for (const auto& [framework, figures] : figures_) cases += figures.cases;
    std::cout << fmt::format("{} cases, {} comparisons, {} failures\n", cases, comparisons_, failures_);
    return failures_ == 0 && cases > 0;
  }

  [[nodiscard]] const AllFigures& figures() const { return figures_; }

 private:
  void compare(const Case& test, Figures& figures) {
    ++figures.cases;
    for (const Check& check : checks()) {
      if (!check.applies(test)) continue;
      ++comparisons_;
      const Outcome outcome = outcome_of(check, test);
      ++figures.results[check.name][outcome.result];
      const std::string key = test.name() + " " + check.name;
      if (outcome.result == Result::differs && left_.erase(key) == 0) fail(key + ": " + outcome.detail);
    }
  }

  static Outcome outcome_of(const Check& check, const Case& test) {
    try {
      return check.compare(test);
    } catch (const std::exception& error) {
      return {Result::differs, error.what()};
    }
  }

  void fail(const std::string& message) {
    ++failures_;
    std::cout << message << '\n';
  }

  std::string pattern_;
  std::set<std::string> left_;  // known differences that were not found yet
  AllFigures figures_;
  std::size_t comparisons_ = 0;
  std::size_t failures_ = 0;
};

static int main(const Strings& arguments) {
  golden::set_up_environment();
  const bool update = arguments == Strings{"--update"};
  if (update && !golden::may_record()) return 2;
  const bool all = update || arguments.empty();
  Comparison comparison(all ? "" : arguments.front());
  for (const std::string& framework : frameworks()) comparison.compare_framework(framework);
  const bool agrees = comparison.finish();
  return (!all || publish(comparison.figures(), update)) && agrees ? 0 : 1;
}

}  // namespace sparsecfg::truth

int main(int count, char** arguments) {
  try {
    return sparsecfg::truth::main({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 70;
  }
}
