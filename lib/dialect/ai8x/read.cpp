#include "dialect/ai8x/read.h"

#include <algorithm>

#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::ai8x {

constexpr std::string_view kNasKeys[] = {"elastic_kernel",  "elastic_depth", "elastic_width",
                                         "validation_freq", "kd_params",     "evolution_search"};

bool is_nas_policy(const Value& policy) {
  return std::ranges::any_of(kNasKeys, [&](std::string_view key) { return policy.find(key) != nullptr; });
}

ir::Origin origin_of(std::string_view name, const Record& record, int ordinal) {
  ir::Origin origin;
  origin.class_name = std::string(name);
  origin.ordinal = ordinal;
  origin.span = record.key;
  for (const Field& field : record.fields) origin.fields.push_back({field.name, field.key, field.value});
  return origin;
}

DIAGNOSTIC(AX204, policy_is_empty, silent_error, (), "the policy is empty, so nothing is quantized",
           "For an empty QAT policy, train.py trains the whole run without quantization and reports nothing. An empty "
           "NAS policy stops the training after the first epoch.",
           "write `start_epoch: N` and `weight_bits: 8`, or pass `--qat-policy None` to train without quantization")

// An empty file switches quantization off; everything else that is not a mapping stops the training.
static void report_no_mapping(const Value& whole, diag::Sink& sink) {
  if (whole.is_null()) {
    sink.report(diag::policy_is_empty, whole.span);
  } else {
    sink.report(diag::wrong_type, whole.span, "policy", "a mapping with `start_epoch`", source::describe(whole))
        .with_help("write `start_epoch: N` and `weight_bits: 8` at the start of a line");
  }
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const Context context{source.file, source.document, options, sink};
  const Value whole = doc::construct(source.document, source.document.root, sink);
  doc::report_unknown_tags(source.document, "ai8x-training", sink);
  ir::Recipe recipe{"ai8x", {}, {}, {}, std::nullopt};
  recipe.has_rates = false;
  const auto* policy = whole.get<source::Map>();
  if (policy == nullptr) {
    report_no_mapping(whole, sink);
    recipe.trains = false;
    return recipe;
  }
  recipe.actions = is_nas_policy(whole) ? read_nas(context, *policy) : read_qat(context, *policy);
  return recipe;
}

}  // namespace sparsecfg::dialect::ai8x
