#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sparsecfg::match {

// A name and who has it, or several that share an answer.
struct NameGroup {
  std::string name;  // "fc.weight", "model.layers.{0..31}.mlp.*"
  std::string answer;
  std::string shape;  // empty: unknown, or not the same for all
  std::size_t count = 1;
};

// Joins names that differ in numbers alone, and all that stands below a prefix, where they have the same answer.
// `names` are all names of the model in their order, and so are the groups, by their first names.
[[nodiscard]] std::vector<NameGroup> grouped(const std::vector<NameGroup>& names);

}  // namespace sparsecfg::match
