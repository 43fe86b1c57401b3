#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/foreign.h"

namespace sparsecfg::dialect::nni {

// How NNI raises a sparsity from 0: after `begin` + k * `every` steps it has gone k of `times` parts
// of the way. Without parts it is set at once.
struct Course {
  std::uint64_t begin = 0;
  std::uint64_t every = 1;
  std::uint64_t times = 0;
  bool cubic = true;
  bool exact = true;  // true if it has the sparsities of the updates that it was made for

  [[nodiscard]] bool at_once() const { return times == 0; }

  [[nodiscard]] std::uint64_t last() const { return begin + every * times; }
};

// The course to the target that comes nearest to the updates, with `every` steps between its own.
// Returns nullopt if all of them set a sparsity of 0.
[[nodiscard]] std::optional<Course> course_of(const std::vector<Update>& updates, double target, bool cubic,
                                              std::uint64_t every);

// The same course for pruners that are constructed after `first` steps, when they begin: what would
// begin later arrives where it did.
[[nodiscard]] Course begin_at(const Course& course, std::uint64_t first);

}  // namespace sparsecfg::dialect::nni
