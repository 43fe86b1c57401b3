#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::rescale {

// The scale factor as a fraction, because a float can't represent factors such as 100/52 exactly.
struct Factor {
  double numerator = 1;
  double denominator = 1;

  // Returns the scaled value: the nearest float, or an adjacent short decimal, so 3 times 0.1 is 0.3. Doubling and
  // halving a number returns the same number.
  [[nodiscard]] double of(double value) const;
  // Returns a Python product of the expression and the factor: "warmup * 100 / 52". `expression` must be a name or in
  // parentheses.
  [[nodiscard]] std::string multiplied(std::string_view expression) const;

  [[nodiscard]] Factor inverse() const { return {denominator, numerator}; }

  [[nodiscard]] double value() const { return numerator / denominator; }
};

// Rounds a time to hundredths, or to three significant digits if it is below 0.1, unless it has few digits anyway.
[[nodiscard]] double readable(double time);

// Returns a number in the style of `before`. An int stays an int if possible.
[[nodiscard]] std::string written_like(std::string_view before, double value);

}  // namespace sparsecfg::rescale
