#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/staged/formula.h"
#include "dialect/sparseml/staged/rules.h"
#include "dialect/sparseml/staged/types.h"

// `update_scheduler` and `scheduler_args` of a magnitude pruner.
namespace sparsecfg::dialect::sparseml::staged {

using source::Value;

constexpr std::string_view kCalc = "calc(";
constexpr double kCubic = 3;
constexpr double kSquare = 2;

// Returns the expression in the first `calc(...)` without nested parentheses, or nullopt.
static std::optional<std::string_view> inside_calc(std::string_view text) {
  for (std::size_t at = text.find(kCalc); at != std::string_view::npos; at = text.find(kCalc, at + 1)) {
    const std::size_t begin = at + kCalc.size();
    const std::size_t end = text.find_first_of("()", begin);
    if (end != std::string_view::npos && text[end] == ')') {
      return text.substr(begin, end - begin);
    }
  }
  return std::nullopt;
}

class CurveReader {
 public:
  CurveReader(const Modifier& modifier, diag::Sink& sink) : window_(modifier), pruning_(modifier), sink_(sink) {}

  std::optional<ir::SparsityCurve> read() {
    const std::string name = pruning_.update_scheduler.value_or("");
    if (name == "linear") return ir::PowerRamp{from(), 1, false};
    if (name == "cubic") return ir::PowerRamp{from(), kCubic, true};
    if (name == "polynomial_decay") return power(true);
    if (name == "polynomial") return power(false);
    if (name == "multi_step") return stairs();
    if (name.starts_with(kCalc) && name.ends_with(')')) return formula(name);
    const auto guess = base::nearest(name, schedulers());
    sink_.report(diag::unknown_choice, place(), name, "update_scheduler")
        .with_help(
            base::did_you_mean(guess, fmt::format("use one of `{}` or `calc(...)`", fmt::join(schedulers(), "`, `"))))
        .with_fix(guess ? diag::Fix::unsafe().content(place(), std::string(*guess)) : diag::Fix());
    return std::nullopt;
  }

 private:
  source::Span place() const { return pruning_.update_scheduler.place(); }

  source::Located<double> from() const { return {pruning_.init_sparsity.value_or(0), pruning_.init_sparsity.place()}; }

  const Value* argument(std::string_view name) const {
    const Value* arguments = pruning_.scheduler_args.given();
    return arguments == nullptr ? nullptr : arguments->find(name);
  }

  std::optional<ir::SparsityCurve> power(bool decays) {
    const Value* exponent = argument("exponent");
    const auto number = exponent == nullptr ? std::optional(kSquare) : exponent->number();
    if (!number) {
      sink_.report(diag::wrong_type, exponent->span, "exponent", "a number", source::describe(*exponent));
      return std::nullopt;
    }
    return ir::PowerRamp{from(), *number, decays};
  }

  std::optional<ir::SparsityCurve> stairs() {
    ir::PiecewiseConstant out{from(), {}};
    const Value* steps = argument("steps");
    const auto* list = steps == nullptr ? nullptr : steps->get<source::List>();
    if (steps != nullptr && list == nullptr) {
      sink_.report(diag::wrong_type, steps->span, "steps", "a list of [epoch, sparsity] pairs",
                   source::describe(*steps));
      return std::nullopt;
    }
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      const Value& pair = (*list)[at];
      const auto* parts = pair.get<source::List>();
      const auto epoch = parts == nullptr || parts->size() != 2 ? std::nullopt : parts->front().number();
      const auto sparsity = epoch ? parts->back().number() : std::nullopt;
      if (!sparsity) {
        sink_.report(diag::wrong_type, pair.span, "steps", "a list of [epoch, sparsity] pairs", source::describe(pair));
        return std::nullopt;
      }
      out.stairs.push_back({*epoch, {*sparsity, parts->back().span}});
    }
    std::ranges::stable_sort(out.stairs, {}, &ir::PiecewiseConstant::Stair::epoch);
    return out;
  }

  Constants constants() const {
    Constants out;
    const auto add = [&](const std::string& name, const Setting<double>& number) {
      out.insert_or_assign(name, number ? std::optional(*number) : std::nullopt);
    };
    add("start", window_.start);
    add("end", window_.end);
    add("update", window_.update);
    add("init_sparsity", pruning_.init_sparsity);
    add("final_sparsity", pruning_.final_sparsity);
    for (const source::Entry& entry : pruning_.scheduler_args.value_or({})) {
      out.insert_or_assign(source::python_str(entry.first), entry.second.number());
    }
    return out;
  }

  std::optional<ir::SparsityCurve> formula(const std::string& name) {
    const auto inside = inside_calc(name);
    if (!inside) {
      sink_.report(diag::python_eval, place(), "`calc(...)` contains parentheses, so SparseML cannot find its end")
          .with_help("remove the parentheses: calls and grouping are not supported");
      return std::nullopt;
    }
    auto compiled = compile(*inside, constants());
    if (auto* formula = std::get_if<ir::Expression>(&compiled)) {
      return std::move(*formula);
    }
    report(std::get<python::ExpressionError>(compiled));
    return std::nullopt;
  }

  void report(const python::ExpressionError& error) {
    switch (error.kind) {
      case python::ExpressionError::Kind::unknown_variable:
        sink_.report(diag::undefined_variable, place(), error.name)
            .with_help("use index, start, end, update, init_sparsity, final_sparsity or a name from `scheduler_args`");
        break;
      case python::ExpressionError::Kind::unsupported:
        sink_.report(diag::eval_not_evaluated, place(), error.message).with_severity(diag::Severity::warning);
        break;
      case python::ExpressionError::Kind::division_by_zero:
      case python::ExpressionError::Kind::too_large:
      case python::ExpressionError::Kind::syntax:
      case python::ExpressionError::Kind::type_error: sink_.report(diag::python_eval, place(), error.message); break;
    }
  }

  Window window_;
  MagnitudePruning pruning_;
  diag::Sink& sink_;
};

std::optional<ir::SparsityCurve> read_curve(const Modifier& modifier, diag::Sink* sink) {
  diag::Sink discarded;
  return CurveReader(modifier, sink == nullptr ? discarded : *sink).read();
}

}  // namespace sparsecfg::dialect::sparseml::staged
