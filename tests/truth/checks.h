#pragma once

#include <functional>
#include <set>
#include <string>

#include "cases.h"

namespace sparsecfg::truth {

enum class Result {
  agrees,
  silent_loss,   // the framework accepts the recipe, but silently drops a part, which sparsecfg reports as an error
  not_knowable,  // the verdict depends on more than the recipe and the names of the model
  differs,
};

struct Outcome {
  Result result = Result::agrees;
  std::string detail{};  // why the outcome differs
};

// One comparison: the recorded fields that it needs, and a function that compares them with a command of sparsecfg.
struct Check {
  const char* name;  // as in differences.txt
  const char* heading;
  std::function<bool(const Case&)> applies;
  std::function<Outcome(const Case&)> compare;
};

// Returns all comparisons. The first one compares the verdict.
[[nodiscard]] const std::vector<Check>& checks();

}  // namespace sparsecfg::truth
