#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::ir {

// Course of a ramp between its two values.
enum class Shape : std::uint8_t { linear, cubic, inverse_cubic };

[[nodiscard]] std::string_view to_string(Shape shape);

// The value of a ramp at `progress` (0 at its start, 1 at its end), as SparseML computes it
// (reference/sparseml.md C.3): the share y of the way is p, 1-(1-p)^3 or 1-(1-p)^(1/3); near 0 it
// is `from`, near 1 `to`, else y*(to-from)+from in that order of operations. Returns nullopt if Python
// gets a complex number: an inverse cubic past its end.
[[nodiscard]] std::optional<double> interpolate(Shape shape, double progress, double from, double to);

// Courses of sparsity that are a function of the epoch and nothing else, evaluated anew at every
// step of their window (reference/sparseml.md B.9).

using source::Located;

// With p the share of the window that has passed: from + (to - from) * p^exponent, or, if it
// decays, from + (to - from) * ((p - 1)^exponent + 1). Linear: 1, not decaying. Cubic: 3, decaying.
struct PowerRamp {
  static constexpr std::string_view kName = "power_ramp";
  Located<double> from;
  double exponent = 1;
  bool decays = false;
  friend bool operator==(const PowerRamp&, const PowerRamp&) = default;
};

// The sparsity of the last stair that the epoch has reached; `from` before the first one.
struct PiecewiseConstant {
  static constexpr std::string_view kName = "stairs";

  struct Stair {
    double epoch = 0;
    Located<double> sparsity;
    friend bool operator==(const Stair&, const Stair&) = default;
  };

  Located<double> from;
  std::vector<Stair> stairs;  // by epoch
  friend bool operator==(const PiecewiseConstant&, const PiecewiseConstant&) = default;
};

// Over whole epochs, arriving at the last of them: to + (from - to) * (1 - p)^3 with p the share of
// the way from the first epoch to the last one that the cadence has before its end
// (reference/distiller.md C.3).
struct EpochCurve {
  static constexpr std::string_view kName = "epoch_ramp";
  Located<double> from;
  friend bool operator==(const EpochCurve&, const EpochCurve&) = default;
};

// The epochs from the first to the last one of a cadence that acts each `every` epochs from `start`
// on, before `end`: 0 where there is only one.
[[nodiscard]] double epochs_passed(double start, double end, double every);

// Python's arithmetic on floats as a program for a stack: operations come after their operands.
struct Expression {
  static constexpr std::string_view kName = "formula";
  enum class Operation : std::uint8_t {
    number,
    epoch,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    negate,
    less,
    less_or_equal,
    equal,
    negation,
    both,    // Python's `and`: the first operand if it is 0, else the second
    either,  // Python's `or`
    choose,  // of (value, condition, other value)
  };

  struct Step {
    Operation operation = Operation::number;
    double number = 0;
    friend bool operator==(const Step&, const Step&) = default;
  };

  std::vector<Step> steps;
  friend bool operator==(const Expression&, const Expression&) = default;
};

// The value at an epoch. Returns nullopt if Python fails: a division by zero, a complex number, a
// number too large.
[[nodiscard]] std::optional<double> value_at(const PowerRamp& ramp, double to, double start, double end, double epoch);
[[nodiscard]] double value_at(const PiecewiseConstant& stairs, double epoch);
// `passed` is what epochs_passed() says, above 0.
[[nodiscard]] double value_at(const EpochCurve& ramp, double to, double start, double passed, double epoch);
[[nodiscard]] std::optional<double> value_at(const Expression& formula, double epoch);

}  // namespace sparsecfg::ir
