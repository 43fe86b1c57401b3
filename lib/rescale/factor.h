#pragma once

#include <string>
#include <string_view>

namespace sparsecfg::rescale {

// How many times as long everything becomes, as a fraction: 100 epochs in place of 52 are 100/52, which no float is.
struct Factor {
  double numerator = 1;
  double denominator = 1;

  // The nearest float, or a short decimal right beside it: 3 times 0.1 is 0.3. Twice a number and half of that is the
  // number again.
  [[nodiscard]] double of(double value) const;
  // A name, or an expression in parentheses, times the factor as Python writes it: "warmup * 100 / 52".
  [[nodiscard]] std::string multiplied(std::string_view expression) const;

  [[nodiscard]] Factor inverse() const { return {denominator, numerator}; }

  [[nodiscard]] double value() const { return numerator / denominator; }
};

// A number written like another one: an int stays one if it can.
[[nodiscard]] std::string written_like(std::string_view before, double value);

}  // namespace sparsecfg::rescale
