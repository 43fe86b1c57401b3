#pragma once

#include <set>
#include <string>

#include "cases.h"

namespace sparsecfg::truth {

// Result of a command that ran in this process.
struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};

// Result of `validate --format json`.
struct Findings {
  int status = 0;
  std::string dialect;          // detected or given; empty if the file was not read
  std::set<std::string> codes;  // codes of the errors
};

// Which options of a case a command receives.
enum class Reader {
  told,     // with --from
  detects,  // without --from: sparsecfg detects the dialect
};

// Runs a command in the folder of the framework. `input` is standard input.
[[nodiscard]] Answer run(const Strings& arguments, const std::string& input = "");

// Returns the options with which a recipe is read: dialect, release, variables, names of the model, length.
[[nodiscard]] Strings reading_options(const Case& test, Reader reader = Reader::told);

// Runs a command on the recipe of a case, with further options.
[[nodiscard]] Answer run_on_recipe(const std::string& command, const Case& test, const Strings& more);

// Validates the recipe of a case. Throws if the output contradicts the exit status, or if the command crashed.
[[nodiscard]] Findings validate(const Case& test, Reader reader);

// Parses the output of a command. Throws, with the error output, if it is not JSON.
[[nodiscard]] Json parse(const Answer& answer);

}  // namespace sparsecfg::truth
