#pragma once

#include <set>
#include <string>
#include <vector>

#include "project/project.h"
#include "report/report.h"

namespace sparsecfg::project {

// What a check would need that no option gives.
enum class MissingInput { modules, parameters, shapes, steps, epochs };

// What the report of a compilation states about its models, without the models themselves.
struct ModelFacts {
  std::vector<report::ModelLine> lines;
  std::set<MissingInput> missing;
};

[[nodiscard]] ModelFacts facts_of(const Compilation& compilation, const FileOptions& options);

// Returns the checks that need the inputs, "a (--x), b (--y)", or an empty string.
[[nodiscard]] std::string text_of(const std::set<MissingInput>& missing);

}  // namespace sparsecfg::project
