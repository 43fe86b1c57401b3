#pragma once

#include <map>
#include <string>

#include "checks.h"

namespace sparsecfg::truth {

// Outcomes of one framework: by the name of a check, how often each result occurred.
struct Figures {
  std::size_t cases = 0;
  std::map<std::string, std::map<Result, std::size_t>> results{};
};

using AllFigures = std::map<std::string, Figures>;

// Updates the part `handwritten` of tests/agreement.json, and the tables in docs/how-it-is-tested.md, or only checks
// that both are current. Returns false, with a message, if a file cannot be written or is not current.
[[nodiscard]] bool publish(const AllFigures& figures, bool update);

}  // namespace sparsecfg::truth
