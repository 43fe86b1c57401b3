#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "dialect/sparseml/read/fields.h"
#include "dialect/sparseml/table/table.h"
#include "dialect/sparseml/write/write.h"

// Converts modifiers of 2020 to current ones (docs/semantics/sparseml.md#g1).
namespace sparsecfg::dialect::sparseml {

using source::Value;

static Value selectors_of(const model::Selector& selector) {
  source::List names;
  for (const model::Term& term : selector.terms) {
    names.push_back(word(term.kind == model::Term::Kind::pattern ? "re:" + term.text : term.text));
  }
  return {std::move(names), {}};
}

// Returns the learning rate at the start of an epoch.
static std::optional<double> rate_at(const RateSchedule& rates, double epoch) {
  std::optional<double> rate;
  for (const RateChange& change : rates.changes) {
    if (change.epoch <= epoch) rate = change.rate;
  }
  return rates.known ? rate : std::nullopt;
}

class Modernizer {
 public:
  Modernizer(const ir::Action& action, const WriteOptions& options, ActionStatus& status, diag::Sink& sink)
      : action_(action), origin_(action.origin), options_(options), status_(status), sink_(sink) {}

  std::optional<Draft> run() {
    draft_ = {
        std::string(modern_name(origin_.class_name).value_or(origin_.class_name)), origin_.stage, origin_.group, {}};
    const auto* prune = std::get_if<ir::Prune>(&action_.effect);
    if (std::holds_alternative<ir::Opaque>(action_.effect) && origin_.class_name == "SetLearningRateModifier") {
      status_.reason = "a learning rate of null has no effect, so the modifier is omitted";
      return std::nullopt;
    }
    if ((prune != nullptr && rejects(*prune)) || rejects_fields()) {
      return std::nullopt;
    }
    const ClassSpec* spec = find_modifier(Framework::pytorch, draft_.class_name);
    for (std::size_t row = 0; spec != nullptr && row < spec->fields.size(); ++row) {
      add(spec->fields[row]);
    }
    return status_.kind == ActionStatus::Kind::dropped ? std::nullopt : std::optional(std::move(draft_));
  }

 private:
  // Drops sparsities that current releases reject, and moves structures to the modifier that supports them now.
  bool rejects(const ir::Prune& prune) {
    const double last = prune.targets.front().sparsity.value;
    if (last <= 0 || last >= 1) {
      drop(status_, action_, fmt::format("current releases reject a final sparsity of {}", base::python_repr(last)),
           sink_);
      return true;
    }
    using Kind = ir::Structure::Kind;
    if (prune.structure.kind == Kind::filter || prune.structure.kind == Kind::channel) {
      draft_.class_name = "StructuredPruningModifier";
      status_.kind = ActionStatus::Kind::approximated;
      status_.reason = "structured pruning now has a separate modifier, which ranks structures by another norm";
      sink_.report(diag::schedule_approximated, origin_.span, origin_.class_name, status_.reason);
    }
    return false;
  }

  // Drops windows that end before they start, and empty parameter lists.
  bool rejects_fields() {
    const auto number = [&](std::string_view name) {
      const ir::OriginField* field = origin_.find(name);
      return field == nullptr ? std::nullopt : field->value.number();
    };
    const auto start = number("start_epoch");
    const auto end = number("end_epoch");
    const ir::OriginField* params = origin_.find("params");
    const auto* list = params == nullptr ? nullptr : params->value.get<source::List>();
    if (start && end && *end >= 0 && *end < *start) {
      drop(status_, action_,
           fmt::format("current releases reject an end at epoch {} before the start at {}", *end, *start), sink_);
    } else if (list != nullptr && list->empty()) {
      drop(status_, action_, "current releases reject an empty `params` list", sink_);
    }
    return status_.kind == ActionStatus::Kind::dropped;
  }

  void add(const FieldSpec& field) {
    const ir::OriginField* given = origin_.find(field.name);
    const auto* prune = std::get_if<ir::Prune>(&action_.effect);
    if (field.name == "params" && !ir::selectors_of(action_.effect).empty()) {
      add_params(given);
    } else if (field.name == "leave_enabled" && given != nullptr && prune != nullptr) {
      draft_.set(field.name, {prune->hold_after_end, {}});
    } else if (field.name == "init_lr") {
      add_initial_rate(given);
    } else if (given != nullptr) {
      draft_.set(field.name, number_or_same(field, given->value));
    } else if (field.required) {
      add_default(field);
    }
  }

  void add_params(const ir::OriginField* given) {
    draft_.set("params", given != nullptr ? given->value : selectors_of(*ir::selectors_of(action_.effect).front()));
  }

  // Adds a field that is required now but had a default.
  void add_default(const FieldSpec& field) {
    draft_.set(field.name, field.type == Type::truth
                               ? Value{true, {}}
                               : real(field.name == "start_epoch" || field.name == "end_epoch" ? -1 : 0));
  }

  static Value number_or_same(const FieldSpec& field, const Value& value) {
    const bool number = allows(field.type, kNumbers);
    const auto* text = value.get<std::string>();
    const auto parsed = number ? (text != nullptr ? base::python_float(*text) : value.number()) : std::nullopt;
    return parsed ? Value{*parsed, value.span} : value;
  }

  void add_initial_rate(const ir::OriginField* given) {
    auto rate = given == nullptr || given->value.is_null() ? rate_at(options_.rates, action_.cadence.start.value)
                                                           : given->value.number();
    if (!rate) {
      drop(status_, action_, "the initial learning rate is set by the trainer; pass it with `--initial-lr`", sink_);
    } else if (*rate <= 0 || *rate > 1) {
      drop(status_, action_, fmt::format("current releases reject a learning rate of {}", base::python_repr(*rate)),
           sink_);
    } else {
      draft_.set("init_lr", real(*rate));
    }
  }

  const ir::Action& action_;
  const ir::Origin& origin_;
  const WriteOptions& options_;
  ActionStatus& status_;
  diag::Sink& sink_;
  Draft draft_;
};

std::optional<Draft> modernize(const ir::Action& action, const WriteOptions& options, ActionStatus& status,
                               diag::Sink& sink) {
  return Modernizer(action, options, status, sink).run();
}

}  // namespace sparsecfg::dialect::sparseml
