#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace sparsecfg::ir {

// The shape of a ramp between its two values.
enum class Shape : std::uint8_t { linear, cubic, inverse_cubic };

[[nodiscard]] std::string_view to_string(Shape shape);

// Returns the value of a ramp at `progress` (0 at its start, 1 at its end), as SparseML computes it
// (docs/semantics/sparseml.md#c3-1). With p the progress, the fraction y is p, 1-(1-p)^3 or 1-(1-p)^(1/3). Near 0 the
// value is `from`, near 1 `to`, else y*(to-from)+from in that order of operations. Returns nullopt if Python computes a
// complex number: an inverse cubic ramp after its end.
[[nodiscard]] std::optional<double> interpolate(Shape shape, double progress, double from, double to);

// Sparsity curves that depend only on the epoch. They are evaluated at every step of their window
// (docs/semantics/sparseml.md#h4-5).

using source::Located;

// With p the elapsed fraction of the window: from + (to - from) * p^exponent, or if `decays` is true
// from + (to - from) * ((p - 1)^exponent + 1). Linear ramps have exponent 1, no decay; cubic ramps exponent 3, decay.
struct PowerRamp {
  static constexpr std::string_view kName = "power_ramp";
  Located<double> from;
  double exponent = 1;
  bool decays = false;
  friend bool operator==(const PowerRamp&, const PowerRamp&) = default;
};

// The sparsity of the last step that the epoch has reached; `from` before the first one.
struct PiecewiseConstant {
  static constexpr std::string_view kName = "stairs";

  struct Stair {
    double epoch = 0;
    Located<double> sparsity;
    friend bool operator==(const Stair&, const Stair&) = default;
  };

  Located<double> from;
  std::vector<Stair> stairs;  // sorted by epoch
  friend bool operator==(const PiecewiseConstant&, const PiecewiseConstant&) = default;
};

// A ramp over whole epochs that reaches its end value in the last one: to + (from - to) * (1 - p)^3. p is the elapsed
// fraction between the first and the last active epoch before the end of the cadence
// (docs/semantics/distiller.md#c3-1).
struct EpochCurve {
  static constexpr std::string_view kName = "epoch_ramp";
  Located<double> from;
  friend bool operator==(const EpochCurve&, const EpochCurve&) = default;
};

// Returns the epochs between the first and the last active epoch of a cadence that acts every `every` epochs from
// `start`, before `end`. Returns 0 if only one epoch is active.
[[nodiscard]] double epochs_passed(double start, double end, double every);

// Python's float arithmetic as a program for a stack machine. Operations follow their operands.
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
    choose,  // pops (value, condition, other value)
  };

  struct Step {
    Operation operation = Operation::number;
    double number = 0;
    friend bool operator==(const Step&, const Step&) = default;
  };

  std::vector<Step> steps;
  friend bool operator==(const Expression&, const Expression&) = default;
};

// Returns the value at an epoch. Returns nullopt if Python fails: division by zero, a complex number, or overflow.
[[nodiscard]] std::optional<double> value_at(const PowerRamp& ramp, double to, double start, double end, double epoch);
[[nodiscard]] double value_at(const PiecewiseConstant& stairs, double epoch);
// `passed` is the result of epochs_passed() and must be above 0.
[[nodiscard]] double value_at(const EpochCurve& ramp, double to, double start, double passed, double epoch);
[[nodiscard]] std::optional<double> value_at(const Expression& formula, double epoch);

// Computes interpolate() for many points of a ramp. `out` has the size of `progress`.
void interpolate_all(Shape shape, std::span<const double> progress, double from, double to,
                     std::span<std::optional<double>> out);

}  // namespace sparsecfg::ir
