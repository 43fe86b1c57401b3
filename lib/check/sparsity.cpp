#include <fmt/core.h>

#include <map>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"

// Sparsities that run and are unlikely to be meant (SP4).
namespace sparsecfg::check {

class SparsityCheck {
 public:
  SparsityCheck(const Context& context, const ir::Action& action, const ir::Prune& prune)
      : context_(context), action_(action), prune_(prune) {}

  void run() {
    for (const ir::Target& target : prune_.targets) {
      check_range(target.sparsity);
      check_extreme(target.sparsity);
    }
    if (const ir::Located<double>* from = ir::initial_sparsity(prune_.curve)) {
      check_range(*from);
    }
    check_buckets();
  }

 private:
  std::string field_at(source::Span span) const {
    for (const ir::OriginField& field : action_.origin.fields) {
      if (field.value.span.begin <= span.begin && span.end <= field.value.span.end) {
        return field.name;
      }
    }
    return "sparsity";
  }

  // Whether the number is a field's value as it stands, and did not come out of an expression.
  bool is_written(source::Span span) const {
    return std::ranges::any_of(action_.origin.fields, [&](const ir::OriginField& field) {
      return field.value.span == span && !field.evaluated;
    });
  }

  void check_range(const ir::Located<double>& sparsity) {
    const double value = sparsity.value;
    if (value >= 0 && value <= 1) {
      return;
    }
    const std::string name = field_at(sparsity.span);
    if (value > 1 && value <= 100) {
      context_.sink.report(diag::sparsity_looks_like_percent, sparsity.span, name, base::python_repr(value))
          .with_help(fmt::format("write `{}`", base::python_repr(value / 100)))
          .with_fix(is_written(sparsity.span)
                        ? diag::Fix::unsafe().replace(sparsity.span, base::python_repr(value / 100))
                        : diag::Fix());
    } else {
      context_.sink.report(diag::sparsity_out_of_range, sparsity.span, name, base::python_repr(value), "[0.0, 1.0]")
          .with_severity(diag::Severity::warning);
    }
  }

  void check_extreme(const ir::Located<double>& sparsity) {
    using Kind = ir::Structure::Kind;
    const bool structured = prune_.structure.kind == Kind::filter || prune_.structure.kind == Kind::channel;
    if (sparsity.value <= 1 && (sparsity.value >= 0.99 || (structured && sparsity.value > 0.9))) {
      context_.sink.report(diag::extreme_sparsity, sparsity.span, field_at(sparsity.span), sparsity.value);
    }
  }

  // The same name or pattern under two sparsities.
  void check_buckets() {
    std::map<std::string, const ir::Target*> first;
    for (const ir::Target& target : prune_.targets) {
      for (const ir::Term& term : target.selector.terms) {
        const auto [place, is_new] = first.emplace(target.selector.tensor + " " + term.text, &target);
        if (!is_new && place->second != &target) {
          context_.sink
              .report(diag::param_in_two_buckets, term.span, base::printable(term.text),
                      base::python_repr(place->second->sparsity.value), base::python_repr(target.sparsity.value))
              .with_label(place->second->sparsity.span, "this one is used");
        }
      }
    }
  }

  const Context& context_;
  const ir::Action& action_;
  const ir::Prune& prune_;
};

void check_sparsities(const Context& context) {
  for (const ir::Action& action : context.recipe.actions) {
    if (const auto* prune = std::get_if<ir::Prune>(&action.effect); prune != nullptr && action.valid) {
      SparsityCheck(context, action, *prune).run();
    }
  }
}

}  // namespace sparsecfg::check
