#include "ir/curve.h"

#include <cmath>

#include "base/number.h"

namespace sparsecfg::ir {

using Operand = std::optional<double>;

// Python's ** for floats: fails on complex results, and on infinite results of finite operands.
static Operand raise(double base, double exponent) {
  const bool complex = base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent);
  if (complex || (base == 0 && exponent < 0)) {
    return std::nullopt;
  }
  const double result = std::pow(base, exponent);
  const bool overflow = std::isinf(result) && std::isfinite(base) && std::isfinite(exponent);
  return overflow ? std::nullopt : Operand(result);
}

static Operand remainder(double dividend, double divisor) {
  return divisor == 0 ? std::nullopt : Operand(base::python_modulo(dividend, divisor));
}

static Operand quotient(double dividend, double divisor) {
  return divisor == 0 ? std::nullopt : Operand(dividend / divisor);
}

static Operand whole_quotient(double dividend, double divisor) {
  const Operand rest = remainder(dividend, divisor);
  return rest ? Operand(std::round((dividend - *rest) / divisor)) : std::nullopt;
}

std::optional<double> value_at(const PowerRamp& ramp, double to, double start, double end, double epoch) {
  const double progress = (epoch - start) / (end - start);
  const Operand share = raise(ramp.decays ? progress - 1 : progress, ramp.exponent);
  return share ? Operand(ramp.from.value + (to - ramp.from.value) * (ramp.decays ? *share + 1 : *share)) : std::nullopt;
}

double value_at(const PiecewiseConstant& stairs, double epoch) {
  double sparsity = stairs.from.value;
  for (const PiecewiseConstant::Stair& stair : stairs.stairs) {
    if (epoch >= stair.epoch) {
      sparsity = stair.sparsity.value;
    }
  }
  return sparsity;
}

class Machine {
 public:
  explicit Machine(double epoch) : epoch_(epoch) {}

  void run(const Expression::Step& step) {
    using enum Expression::Operation;
    switch (step.operation) {
      case number: stack_.emplace_back(step.number); break;
      case epoch: stack_.emplace_back(epoch_); break;
      case negate: unary([](double x) { return -x; }); break;
      case negation: unary([](double x) { return x == 0 ? 1.0 : 0.0; }); break;
      case add: binary([](double a, double b) { return Operand(a + b); }); break;
      case subtract: binary([](double a, double b) { return Operand(a - b); }); break;
      case multiply: binary([](double a, double b) { return Operand(a * b); }); break;
      case divide: binary(quotient); break;
      case floor_divide: binary(whole_quotient); break;
      case modulo: binary(remainder); break;
      case power: binary(raise); break;
      case less: binary([](double a, double b) { return Operand(a < b ? 1 : 0); }); break;
      case less_or_equal: binary([](double a, double b) { return Operand(a <= b ? 1 : 0); }); break;
      case equal: binary([](double a, double b) { return Operand(a == b ? 1 : 0); }); break;
      case both: join(true); break;
      case either: join(false); break;
      case choose: pick(); break;
    }
  }

  [[nodiscard]] Operand result() const { return stack_.size() == 1 ? stack_.back() : std::nullopt; }

 private:
  Operand pop() {
    if (stack_.empty()) {
      return std::nullopt;
    }
    const Operand top = stack_.back();
    stack_.pop_back();
    return top;
  }

  void unary(double (*operation)(double)) {
    const Operand value = pop();
    stack_.push_back(value ? Operand(operation(*value)) : std::nullopt);
  }

  void binary(Operand (*operation)(double, double)) {
    const Operand right = pop();
    const Operand left = pop();
    stack_.push_back(left && right ? operation(*left, *right) : std::nullopt);
  }

  // The second operand is only used, and can only fail, if the first one does not decide the result.
  void join(bool decided_by_zero) {
    const Operand right = pop();
    const Operand left = pop();
    const bool decided = !left || (*left == 0) == decided_by_zero;
    stack_.push_back(decided ? left : right);
  }

  void pick() {
    const Operand otherwise = pop();
    const Operand condition = pop();
    const Operand value = pop();
    stack_.push_back(!condition ? std::nullopt : *condition != 0 ? value : otherwise);
  }

  double epoch_;
  std::vector<Operand> stack_;
};

std::optional<double> value_at(const Expression& formula, double epoch) {
  Machine machine(epoch);
  for (const Expression::Step& step : formula.steps) {
    machine.run(step);
  }
  return machine.result();
}

double epochs_passed(double start, double end, double every) {
  return every > 0 ? std::floor((end - start - 1) / every) * every : 0;
}

double value_at(const EpochCurve& ramp, double to, double start, double passed, double epoch) {
  return to + (ramp.from.value - to) * std::pow(1.0 - (epoch - start) / passed, 3.0);
}

}  // namespace sparsecfg::ir
