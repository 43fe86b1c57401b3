#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sparsecfg::match {

// A name with the actions that select it, or several names with the same answer.
struct NameGroup {
  std::string name;  // "fc.weight", "model.layers.{0..31}.mlp.*"
  std::string answer;
  std::string shape;  // empty: unknown or different
  std::size_t count = 1;
};

// Joins names with the same answer that differ only in numbers, or that share a prefix. `names` are all names of the
// model in model order. The groups are ordered by their first names.
[[nodiscard]] std::vector<NameGroup> grouped(const std::vector<NameGroup>& names);

}  // namespace sparsecfg::match
