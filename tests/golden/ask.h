#pragma once

#include <nlohmann/json.hpp>
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

// Returns the table of a recipe's timeline, with 7 steps per epoch if the arguments give no number; empty if there is none.
[[nodiscard]] std::string timeline_of(const Case& test, const std::string& text, const Arguments& arguments);

}  // namespace sparsecfg::golden
