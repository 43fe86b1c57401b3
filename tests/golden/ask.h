#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cases.h"

namespace sparsecfg::golden {

using Arguments = std::vector<std::string>;

// What a command prints for a text that it is given by standard input.
struct Answer {
  int status;
  std::string out;
};

// Runs a command on `text` as if it were the file of `test`.
[[nodiscard]] Answer ask(const std::string& command, const Case& test, const std::string& text,
                         const Arguments& arguments);

// Returns what `validate --format json` reports of `text`: an array of findings.
[[nodiscard]] nlohmann::json findings_of(const Case& test, const std::string& text, const Arguments& arguments);

// Returns the arguments of a case that say how the recipe is read; not those that say what counts.
[[nodiscard]] Arguments reading_arguments(const Case& test);

// Returns `arguments` followed by `more`.
[[nodiscard]] Arguments with(Arguments arguments, const Arguments& more);

// Returns the table of a recipe's timeline, with 7 steps per epoch if the arguments give no number; empty if there is
// none.
[[nodiscard]] std::string timeline_of(const Case& test, const std::string& text, const Arguments& arguments);

// A test of one recipe, which prints what it finds wrong.
class RecipeTest {
 protected:
  explicit RecipeTest(const Case& test)
      : test_(test), arguments_(reading_arguments(test)), text_(read_or_empty(test.path)) {}

  void fail(const std::string& what);

  const Case& test_;
  Arguments arguments_;
  std::string text_;
  bool valid_ = true;  // false once something failed
};

// Runs a test on every recipe of testdata/validate and prints how many of them failed. The test returns true if a
// recipe passes, and nullopt if the recipe is none for it. Returns the exit status: 0 if there were recipes and all
// passed.
[[nodiscard]] int test_recipes(const std::function<std::optional<bool>(const Case&)>& test);

}  // namespace sparsecfg::golden
