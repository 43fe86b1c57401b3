#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/class_of_numbers.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/record/check.h"
#include "dialect/schemes/arguments.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

static void check_patterns(const Context& context, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (const auto fault = fault_of(entry.text)) {
      const std::string meant = base::regex_of_glob(pattern_of(entry.text));
      auto& report = context.sink.report(diag::regex_syntax, entry.span, *fault);
      report
          .with_help(meant.empty() ? "fix the pattern, or remove `re:` to match a name"
                                   : fmt::format("write `re:{}`", meant))
          .with_fix(meant.empty() ? diag::Fix() : diag::Fix::unsafe().content(entry.span, "re:" + meant));
      advise_on_class(report, entry.text, entry.span);
    }
  }
}

DIAGNOSTIC(LC308, special_target, silent_error, (Text, Text), "`{}` is not a token of `{}` and matches nothing",
           "Only ConstantPruningModifier and MagnitudePruningModifier support `__ALL_PRUNABLE__` and "
           "`__ALL_QUANTIZABLE__`. No modifier supports `__ALL__` any longer.",
           "name layer types such as `Linear`, or write a `re:` pattern")

// `__ALL__` was removed, and only the training masks accept the other tokens.
static void check_words(const Context& context, const Modifier& modifier) {
  const bool masks = modifier.as<TrainingMask>() != nullptr;
  for (const Entry& entry : modifier.targets()) {
    const bool known = masks && entry.text != "__ALL__";
    if (entry.text.starts_with("__ALL") && entry.text.ends_with("__") && !known) {
      context.sink.report(diag::special_target, entry.span, entry.text, modifier.spec->name)
          .with_help("write a class of layers such as `Linear`")
          .with_fix(diag::Fix::unsafe().content(entry.span, "Linear"));
    }
  }
}

// Checks entries of `ignore` that SparseML reads as names or tokens. Here they are regular expressions.
static void check_experts(const Context& context, const Entries& ignore) {
  for (const Entry& entry : ignore) {
    if (const auto fault = fault_of_regex(entry.text)) {
      context.sink.report(diag::regex_syntax, entry.span, *fault)
          .with_help("remove `re:`; each entry is a regular expression");
    } else if (is_pattern(entry.text)) {
      const std::string bare(pattern_of(entry.text));
      context.sink.report(diag::ignore_prefix, entry.span, entry.text, bare)
          .with_help("remove `re:`; each entry is a regular expression")
          .with_fix(diag::Fix::unsafe().content(entry.span, bare));
    }
  }
}

static void check_entries(const Context& context, const Modifier& modifier) {
  if (modifier.as<ExpertPruning>() != nullptr) {
    check_experts(context, modifier.ignore());
    return;
  }
  check_patterns(context, modifier.targets());
  check_patterns(context, modifier.ignore());
  const auto* quantization = modifier.as<Quantization>();
  if (quantization == nullptr || (quantization->scheme && quantization->config_groups.given() == nullptr)) {
    return;  // the groups have the targets of the modifier
  }
  for (const Group& group : quantization->groups) check_patterns(context, group.targets);
}

DIAGNOSTIC(LC207, late_conflict, error, (Text, Text), "`{}` and `{}` are both set",
           "The two fields contradict each other. Some classes detect this only after the run has started and the "
           "model is loaded.",
           "delete one of the two")

void check_patterns_and_limits(const Context& context, const Modifier& modifier) {
  check_entries(context, modifier);
  check_words(context, modifier);
  for (const Field& field : modifier.fields) {
    if (!field.valid || field.spec == nullptr) continue;
    schemes::check_dtypes(context.sink, field.value);
    if (field.name == "precision") schemes::check_dtype(context.sink, field.value, field.name);
  }
  check_unsupported(modifier, context.sink);
  check_conflicts(modifier, diag::late_conflict, context.sink);
}

}  // namespace sparsecfg::dialect::llmcompressor
