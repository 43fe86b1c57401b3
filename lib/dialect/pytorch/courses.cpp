#include "dialect/pytorch/courses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/overloaded.h"

namespace sparsecfg::dialect::pytorch {

static std::string repr(double value) { return layout(number(value), 0); }

// --- formulas ---------------------------------------------------------------------------------------------

// Converts a program of the schedule to a Python expression.
class Printer {
 public:
  void add(const ir::Expression::Step& step) {
    using enum ir::Expression::Operation;
    switch (step.operation) {
      case number: stack_.push_back(repr(step.number)); break;
      case epoch: stack_.emplace_back("epoch"); break;
      case negate: wrap("-{}"); break;
      case negation: wrap("(not {})"); break;
      case add: join("+"); break;
      case subtract: join("-"); break;
      case multiply: join("*"); break;
      case divide: join("/"); break;
      case floor_divide: join("//"); break;
      case modulo: join("%"); break;
      case power: join("**"); break;
      case less: join("<"); break;
      case less_or_equal: join("<="); break;
      case equal: join("=="); break;
      case both: join("and"); break;
      case either: join("or"); break;
      case choose: choose_one(); break;
    }
  }

  // Returns the expression without outer parentheses.
  std::string text() const {
    const std::string& whole = stack_.back();
    return whole.starts_with('(') ? whole.substr(1, whole.size() - 2) : whole;
  }

 private:
  std::string pop() {
    std::string top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }

  void wrap(std::string_view form) { stack_.push_back("(" + fmt::format(fmt::runtime(form), pop()) + ")"); }

  void join(std::string_view sign) {
    const std::string right = pop();
    stack_.push_back(fmt::format("({} {} {})", pop(), sign, right));
  }

  void choose_one() {
    const std::string otherwise = pop();
    const std::string condition = pop();
    stack_.push_back(fmt::format("({} if {} else {})", pop(), condition, otherwise));
  }

  std::vector<std::string> stack_;
};

static Text formula(const ir::Expression& program) {
  Printer printer;
  for (const ir::Expression::Step& step : program.steps) {
    printer.add(step);
  }
  return expression(printer.text());
}

// --- sparsity ---------------------------------------------------------------------------------------------

// The window of a curve, and the name of the variable that runs over it.
struct Window {
  const ir::Cadence& cadence;
  std::string_view name;  // "epoch"

  Text start() const { return number(cadence.start.value); }

  Text end() const { return number(cadence.end_or(-1)); }
};

static Text ramp(const ir::Ramp& ramp, double target, const Window& window, Parts& parts) {
  parts.insert("ramp");
  return call("ramp", {python_string(ir::to_string(ramp.shape)),
                       window.start(),
                       window.end(),
                       ramp.from ? number(ramp.from->value) : Text{"zeros"},
                       number(target),
                       {std::string(window.name)}});
}

static Text alternation(double target, const Window& window, Parts& parts) {
  parts.insert("alternate");
  const double every = window.cadence.every_or(1);
  return call("alternate", {window.start(), window.end(), number(every), number(target), {std::string(window.name)}});
}

static Text power(const ir::PowerRamp& ramp, double target, const Window& window, Parts& parts) {
  parts.insert("power");
  return call("power", {window.start(),
                        window.end(),
                        number(ramp.from.value),
                        number(target),
                        number(ramp.exponent),
                        boolean(ramp.decays),
                        {std::string(window.name)}});
}

static Text stairs(const ir::PiecewiseConstant& course, const Window& window, Parts& parts) {
  parts.insert("stairs");
  std::vector<Text> steps;
  for (const auto& stair : course.stairs) {
    steps.push_back(tuple({number(stair.epoch), number(stair.sparsity.value)}));
  }
  return call("stairs", {number(course.from.value), list(std::move(steps)), {std::string(window.name)}});
}

static std::optional<Text> epoch_ramp(const ir::EpochCurve& ramp, double target, const Window& window, Parts& parts) {
  const ir::Cadence& cadence = window.cadence;
  const double passed = ir::epochs_passed(cadence.start.value, cadence.end_or(-1), cadence.every_or(0));
  if (passed <= 0) {
    return std::nullopt;
  }
  parts.insert("agp");
  return call("agp",
              {window.start(), number(passed), number(ramp.from.value), number(target), {std::string(window.name)}});
}

// Returns the value as an expression of the window's variable; nullopt without a formula.
static std::optional<Text> value(const ir::Prune& prune, double target, const Window& window, Parts& parts) {
  return std::visit(base::Overloaded{
                        [&](const ir::Ramp& curve) { return std::optional(ramp(curve, target, window, parts)); },
                        [&](const ir::Alternation&) { return std::optional(alternation(target, window, parts)); },
                        [&](const ir::PowerRamp& curve) { return std::optional(power(curve, target, window, parts)); },
                        [&](const ir::PiecewiseConstant& curve) { return std::optional(stairs(curve, window, parts)); },
                        [&](const ir::Expression& curve) { return std::optional(formula(curve)); },
                        [&](const ir::Constant&) { return std::optional(number(target)); },
                        [&](const ir::EpochCurve& curve) { return epoch_ramp(curve, target, window, parts); },
                        [&](const auto&) { return std::optional<Text>(); },
                    },
                    prune.curve);
}

static std::string refusal(const ir::Prune& prune) {
  return std::visit(
      base::Overloaded{
          [](const ir::ForwardBackward&) { return std::string("pruning in only the forward pass is not supported"); },
          [](const ir::Distributed&) { return std::string("ranking by gradients is not supported"); },
          [](const auto&) { return std::string("the length of the ramp is 0"); },
      },
      prune.curve);
}

// The variable counts from 0 to the number of parts. The bounds of the result change like the target.
static Course counted_course(const ir::Prune& prune, const ir::Target& target, const ir::StepSchedule& counted,
                             Parts& parts) {
  ir::Cadence cadence;
  cadence.start.value = 0;
  cadence.end.value = static_cast<double>(counted.parts);
  const Window window{cadence, "part"};
  const auto bound = [&](const std::optional<ir::Located<double>>& limit) {
    return limit ? value(prune, limit->value, window, parts).value_or(Text{"None"}) : Text{"None"};
  };
  auto share = value(prune, target.sparsity.value, window, parts);
  if (!share) {
    return {{}, refusal(prune)};
  }
  parts.insert("bounded");
  return {lambda("part", call("bounded", {bound(target.min), bound(target.max), std::move(*share)}))};
}

Course sparsity_course(const ir::Prune& prune, const ir::Target& target, const ir::Cadence& cadence, Parts& parts) {
  if (cadence.counted() != nullptr) {
    return counted_course(prune, target, *cadence.counted(), parts);
  }
  auto share = value(prune, target.sparsity.value, {cadence, "epoch"}, parts);
  if (!share) {
    return {{}, refusal(prune)};
  }
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  const bool measured = ramp != nullptr && !ramp->from;
  return std::holds_alternative<ir::Constant>(prune.curve)
             ? Course{std::move(*share)}
             : Course{lambda(measured ? "epoch, zeros" : "epoch", std::move(*share))};
}

// --- rates ------------------------------------------------------------------------------------------------

Text rate_course(const ir::LearningRateCurve& curve, const ir::Cadence& cadence, Parts& parts) {
  using Kind = ir::LearningRateCurve::Kind;
  static constexpr std::string_view kNames[] = {"linear", "cosine", "cycle"};
  const std::string name(kNames[static_cast<std::size_t>(curve.kind)]);
  parts.insert(name);
  const bool cycles = curve.kind == Kind::cyclic_linear;
  std::vector<Text> arguments = {number(cycles ? cadence.start.value : std::max(cadence.start.value, 0.0)),
                                 number(cadence.end_or(-1)),
                                 number(curve.from.value),
                                 number(curve.to.value),
                                 {"epoch"}};
  if (cycles) {
    arguments.insert(arguments.begin() + 2, number(curve.cycle_epochs.value));
    arguments.push_back({"steps"});
  }
  return lambda("epoch, steps", call(name, std::move(arguments)));
}

static std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double each : values) {
    out += (out.empty() ? "" : ", ") + repr(each);
  }
  return "[" + out + "]";
}

static std::string pairs(const ir::MilestoneFactors& decay) {
  std::string out;
  for (std::size_t at = 0; at < std::min(decay.milestones.size(), decay.gammas.size()); ++at) {
    out += fmt::format("{}({}, {})", at == 0 ? "" : ", ", repr(decay.milestones[at]), repr(decay.gammas[at]));
  }
  return "[" + out + "]";
}

static Text cyclic(const ir::Cyclic& curve, Parts& parts) {
  parts.insert("triangles");
  static constexpr std::string_view kModes[] = {"triangular", "triangular2", "exp_range"};
  return call("triangles", {number(curve.min),
                            number(curve.max),
                            number(curve.up),
                            number(curve.down),
                            python_string(kModes[static_cast<std::size_t>(curve.mode)]),
                            number(curve.gamma),
                            boolean(curve.by_cycle),
                            {"epoch"}});
}

static Text one_cycle(const ir::OneCycle& curve, Parts& parts) {
  parts.insert("one_cycle");
  return call("one_cycle", {number(curve.max),
                            number(curve.epochs),
                            number(curve.pct_start),
                            boolean(curve.cosine),
                            number(curve.first_divisor),
                            number(curve.last_divisor),
                            boolean(curve.three_phases),
                            {"epoch"}});
}

Text restarts(double epochs, double growth, double min, Parts& parts) {
  parts.insert("restarts");
  return call("restarts", {number(epochs), number(growth), number(min), {"base"}, {"epoch"}});
}

static std::string factor(const ir::FactorRamp& ramp) {
  const std::string epochs = repr(ramp.epochs);
  const std::string way =
      ramp.linear ? fmt::format("min({}, epoch) / {}", epochs, epochs) : fmt::format("(epoch >= {})", epochs);
  return fmt::format("base * ({} + ({} - {}) * {})", repr(ramp.from), repr(ramp.to), repr(ramp.from), way);
}

static std::string annealing(const ir::CosineAnnealing& cosine) {
  const std::string min = repr(cosine.min);
  return fmt::format("{} + (base - {}) * (1 + math.cos(math.pi * (epoch / {}))) / 2", min, min, repr(cosine.epochs));
}

static Text rate_at(const ir::EpochRateCurve& curve, Parts& parts) {
  return std::visit(
      base::Overloaded{
          [](const ir::StepDecay& decay) {
            return expression(
                fmt::format("base * {} ** math.floor(epoch / {})", repr(decay.gamma), repr(decay.epochs)));
          },
          [](const ir::MilestoneDecay& decay) {
            return expression(fmt::format("base * {} ** sum(epoch >= milestone for milestone in {})", repr(decay.gamma),
                                          numbers(decay.milestones)));
          },
          [](const ir::MilestoneFactors& decay) {
            return expression(
                fmt::format("base * math.prod(gamma for milestone, gamma in {} if epoch >= milestone)", pairs(decay)));
          },
          [](const ir::ExponentialDecay& decay) {
            return expression(fmt::format("base * {} ** epoch", repr(decay.gamma)));
          },
          [](const ir::CosineAnnealing& cosine) { return expression(annealing(cosine)); },
          [&](const ir::CosineRestarts& cosine) { return restarts(cosine.epochs, cosine.growth, cosine.min, parts); },
          [](const ir::PolynomialDecay& decay) {
            return expression(fmt::format("base * (1 - epoch / {}) ** {}", repr(decay.epochs), repr(decay.power)));
          },
          [](const ir::FactorRamp& ramp) { return expression(factor(ramp)); },
          [&](const ir::Cyclic& triangles) { return cyclic(triangles, parts); },
          [&](const ir::OneCycle& once) { return one_cycle(once, parts); },
          [](const ir::Plateau&) { return Text{}; },
      },
      curve);
}

Course scheduler_course(const ir::EpochRateCurve& curve, Parts& parts) {
  if (std::holds_alternative<ir::Plateau>(curve)) {
    return {{}, "use `torch.optim.lr_scheduler.ReduceLROnPlateau` in the training script"};
  }
  return {lambda("base, epoch", rate_at(curve, parts))};
}

// If a scheduler computes its rate from the previous one, torch keeps the rate at epoch 0.
std::optional<Text> built_rate(const ir::EpochRateCurve& curve, Parts& parts) {
  return std::visit(
      base::Overloaded{
          [](const ir::MilestoneDecay& decay) {
            const auto times = std::ranges::count(decay.milestones, 0.0);
            return times == 0 ? std::nullopt
                              : std::optional(
                                    Text{fmt::format("lambda rate, base: rate * {} ** {}", repr(decay.gamma), times)});
          },
          [](const ir::FactorRamp& ramp) {
            return std::optional(Text{fmt::format("lambda rate, base: rate * {}", repr(ramp.from))});
          },
          [](const ir::Cyclic&) { return std::optional(Text{"lambda rate, base: base"}); },
          [](const ir::StepDecay&) { return std::optional<Text>(); },
          [](const ir::ExponentialDecay&) { return std::optional<Text>(); },
          [](const ir::CosineAnnealing&) { return std::optional<Text>(); },
          [](const ir::Plateau&) { return std::optional<Text>(); },
          [&](const auto&) { return std::optional(lambda("rate, base, epoch=0", rate_at(curve, parts))); },
      },
      curve);
}

}  // namespace sparsecfg::dialect::pytorch
