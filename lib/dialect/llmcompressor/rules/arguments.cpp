#include "dialect/schemes/arguments.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"

// Checks the arguments of quantization and the observers.
namespace sparsecfg::dialect::llmcompressor {

using schemes::TensorRole;
using source::Value;

// How arguments are checked. Arguments of a group without modules are only checked as they are when they are loaded.
struct Scope {
  Release release;
  bool used = true;
};

DIAGNOSTIC(LC218, float_asymmetric, error, (), "a float of 4 bits cannot be asymmetric",
           "Static scales of 4-bit floats have no zero points, so calibration fails.", "write `symmetric: true`")

// Static scales of 4-bit floats have no zero points.
static void check_zero_points(const Context& context, const Value& arguments) {
  const QuantizationArgs args = read_args(arguments);
  if (args.is_float && args.bits == 4 && !args.symmetric && args.dynamic != Dynamic::yes) {
    context.sink.report(diag::float_asymmetric, arguments.find("symmetric")->span)
        .with_fix(diag::Fix::unsafe().replace(arguments.find("symmetric")->span, "true"));
  }
}

DIAGNOSTIC(
    LC219, gptq_dynamic_weights, error, (), "`GPTQModifier` fails if the scales of weights are dynamic",
    "GPTQ computes the scales of weights with an observer during calibration. Weights with `dynamic: true` have none.",
    "write `dynamic: false`")

// GPTQ needs the static scales of an observer.
static void check_static_weights(const Context& context, const Value& scheme) {
  const Value* weights = scheme.find("weights");
  const bool given = weights != nullptr && weights->get<source::Map>() != nullptr;
  const Value* dynamic = given ? weights->find("dynamic") : nullptr;
  if (dynamic != nullptr && read_args(*weights).dynamic == Dynamic::yes) {
    context.sink.report(diag::gptq_dynamic_weights, dynamic->span)
        .with_fix(diag::Fix::unsafe().replace(dynamic->span, "false"));
  }
}

static void check_args_of(const Context& context, const Value& arguments, TensorRole role, Scope scope) {
  if (!schemes::check_arguments(context.sink, arguments, role)) {
    return;
  }
  if (!scope.used) {
    if (role == TensorRole::inputs)
      schemes::check_role(context.sink, arguments, role);  // also rejected when it is loaded
    return;
  }
  if (read_args(arguments).dynamic != Dynamic::yes) {  // a dynamic scale does not use an observer
    check_observer(context, arguments, role == TensorRole::weights, scope.release);
  }
  schemes::check_role(context.sink, arguments, role);
  check_zero_points(context, arguments);
}

static void check_part(const Context& context, const Value& scheme, TensorRole role, Scope scope) {
  const Value* part = scheme.find(schemes::field_of(role));
  if (part != nullptr && part->get<source::Map>() != nullptr) {
    check_args_of(context, *part, role, scope);
  }
}

static void check_group_parts(const Context& context, Pairs groups, bool gptq, Release release,
                              const std::vector<bool>& used) {
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const Scope scope{release, at >= used.size() || used[at]};
    for (const TensorRole role : {TensorRole::weights, TensorRole::inputs, TensorRole::outputs}) {
      check_part(context, groups[at].second, role, scope);
    }
    if (scope.used && gptq) check_static_weights(context, groups[at].second);
  }
}

void check_quantization_args(const Context& context, const Modifier& modifier, Release release,
                             const std::vector<bool>& used) {
  const auto& quantization = *modifier.as<Quantization>();
  const bool gptq = modifier.as<Gptq>() != nullptr;
  check_group_parts(context, quantization.config_groups.value_or({}), gptq, release, used);
  if (quantization.kv_cache_scheme) {
    check_args_of(context, *quantization.kv_cache_scheme.given(), TensorRole::cache, Scope{release});
  }
  check_observers(context, quantization, release);
}

}  // namespace sparsecfg::dialect::llmcompressor
