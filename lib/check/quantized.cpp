#include <fmt/core.h>

#include "base/edit_distance.h"
#include "check/check.h"
#include "ir/matching.h"

// Checks the modules that a quantizer overrides or ignores. They are selected by exact name or type (SP6, MD9).
namespace sparsecfg::check {

using ir::Action;
using source::Value;

class QuantizedNames {
 public:
  QuantizedNames(const Context& context, const ir::Quantize& quantize, base::Guesses& guesses)
      : context_(context), strict_(quantize.strict), guesses_(guesses) {}

  void check(const ir::Quantize& quantize) {
    if (const auto* overrides = quantize.overrides.get<source::Map>()) {
      for (const auto& [name, scheme] : *overrides) check(name);
    }
    if (const auto* ignored = quantize.ignored.get<source::List>()) {
      for (const Value& name : *ignored) check(name);
    }
  }

 private:
  void check(const Value& value) {
    const auto* name = value.get<std::string>();
    if (name == nullptr) {
      return;
    }
    if (name->starts_with("re:") || model::looks_like_pattern(*name)) {
      context_.sink.report(diag::regex_in_literal_field, value.span, *name)
          .with_help("list the full names of the modules, or write a type such as `Linear`");
    } else if (context_.modules != nullptr && !context_.modules->knows(*name) && !model::looks_like_type(*name)) {
      report_unknown(value, *name);
    }
  }

  void report_unknown(const Value& value, const std::string& name) {
    const std::size_t count = context_.modules->size();
    auto& report = strict_ ? context_.sink.report(diag::unknown_module, value.span, name, count)
                           : context_.sink.report(diag::unused_selector, value.span, name, "module", count);
    report.with_help(
        base::did_you_mean(guesses_.nearest(name), "run `sparsecfg match FILE` to list the modules of the model"));
  }

  const Context& context_;
  bool strict_;  // true if the framework stops at a name that matches no module
  base::Guesses& guesses_;
};

// Checks only quantizers with a scheme. Others have different matching rules.
void check_quantized_names(const Context& context) {
  const std::vector<std::string> none;
  base::Guesses guesses(context.modules == nullptr ? none : context.modules->list());
  for (const Action& action : context.recipe.actions) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    if (quantize != nullptr && action.valid && quantize->by_scheme && !quantize->replaces &&
        action.cadence.is<ir::SinceLastUpdate>()) {
      QuantizedNames(context, *quantize, guesses).check(*quantize);
    }
  }
}

}  // namespace sparsecfg::check
