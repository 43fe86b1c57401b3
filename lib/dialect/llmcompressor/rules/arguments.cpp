#include "dialect/schemes/arguments.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/rules/rules.h"

// Checks the arguments of quantization and the observers.
namespace sparsecfg::dialect::llmcompressor {

using schemes::Use;
using source::Value;

// How arguments are checked. Arguments of a group without modules are only checked as they are when they are loaded.
struct Scope {
  Release release;
  bool used = true;
};

DIAGNOSTIC(LC218, float_asymmetric, error, (), "a float of 4 bits cannot be asymmetric",
           "Static scales of 4-bit floats have no zero points, so calibration fails.", "write `symmetric: true`")

// Static scales of 4-bit floats have no zero points.
static void check_zero_points(const Reading& reading, const Value& arguments) {
  const Numbers numbers = read_numbers(arguments);
  if (numbers.is_float && numbers.bits == 4 && !numbers.symmetric && numbers.dynamic != Dynamic::yes) {
    reading.sink.report(diag::float_asymmetric, arguments.find("symmetric")->span)
        .with_fix(diag::Fix::unsafe().replace(arguments.find("symmetric")->span, "true"));
  }
}

DIAGNOSTIC(
    LC219, gptq_dynamic_weights, error, (), "`GPTQModifier` fails if the scales of weights are dynamic",
    "GPTQ computes the scales of weights with an observer during calibration. Weights with `dynamic: true` have none.",
    "write `dynamic: false`")

// GPTQ needs the static scales of an observer.
static void check_static_weights(const Reading& reading, const Value& scheme) {
  const Value* weights = scheme.find("weights");
  const bool given = weights != nullptr && weights->get<source::Map>() != nullptr;
  const Value* dynamic = given ? weights->find("dynamic") : nullptr;
  if (dynamic != nullptr && read_numbers(*weights).dynamic == Dynamic::yes) {
    reading.sink.report(diag::gptq_dynamic_weights, dynamic->span)
        .with_fix(diag::Fix::unsafe().replace(dynamic->span, "false"));
  }
}

static void check_numbers_of(const Reading& reading, const Value& arguments, Use use, Scope scope) {
  if (!schemes::check_arguments(reading.sink, arguments, use)) {
    return;
  }
  if (!scope.used) {
    if (use == Use::inputs) schemes::check_use(reading.sink, arguments, use);  // also rejected when it is loaded
    return;
  }
  if (read_numbers(arguments).dynamic != Dynamic::yes) {  // a dynamic scale does not use an observer
    check_observer(reading, arguments, use == Use::weights, scope.release);
  }
  schemes::check_use(reading.sink, arguments, use);
  check_zero_points(reading, arguments);
}

static void check_part(const Reading& reading, const Value& scheme, Use use, Scope scope) {
  const Value* part = scheme.find(schemes::field_of(use));
  if (part != nullptr && part->get<source::Map>() != nullptr) {
    check_numbers_of(reading, *part, use, scope);
  }
}

static void check_group_parts(const Reading& reading, Pairs groups, bool gptq, Release release,
                              const std::vector<bool>& used) {
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const Scope scope{release, at >= used.size() || used[at]};
    for (const Use use : {Use::weights, Use::inputs, Use::outputs}) {
      check_part(reading, groups[at].second, use, scope);
    }
    if (scope.used && gptq) check_static_weights(reading, groups[at].second);
  }
}

void check_numbers(const Reading& reading, const Modifier& modifier, Release release, const std::vector<bool>& used) {
  const auto& quantization = *modifier.as<Quantization>();
  const bool gptq = modifier.as<Gptq>() != nullptr;
  check_group_parts(reading, quantization.config_groups.value_or({}), gptq, release, used);
  if (quantization.kv_cache_scheme) {
    check_numbers_of(reading, *quantization.kv_cache_scheme.given(), Use::cache, Scope{release});
  }
  check_observers(reading, quantization, release);
}

}  // namespace sparsecfg::dialect::llmcompressor
