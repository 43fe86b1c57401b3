#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/oneshot_call.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/table.h"
#include "script/trace.h"

// Checks the arguments of `oneshot`.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(
    LC126, unknown_argument, error, (Text), "`oneshot` has no argument `{}`",
    "`oneshot` passes all arguments to a parser of transformers. It raises a ValueError for names that no release "
    "knows, before the model is loaded.",
    "delete the argument")

static bool is_field_of_modifiers(std::string_view name) {
  return std::ranges::any_of(table().modifiers, [&](const ClassSpec& spec) {
    return std::ranges::find(spec.fields, name, &FieldSpec::name) != spec.fields.end();
  });
}

static void report_argument(const source::Located<std::string>& name, diag::Sink& sink) {
  auto& report = sink.report(diag::unknown_argument, name.span, name.value);
  if (is_field_of_modifiers(name.value)) {
    report.with_help(fmt::format("move `{}` to the modifier", name.value));
  } else if (const auto guess = base::nearest(name.value, oneshot_arguments())) {
    report.with_help(fmt::format("did you mean `{}`?", *guess))
        .with_fix(diag::Fix::unsafe().replace(name.span, std::string(*guess)));
  }
}

void check_oneshot_arguments(const script::Trace& trace, diag::Sink& sink) {
  for (const script::Ref& call : trace.objects) {
    const bool ours = call->imported && call->path.starts_with("llmcompressor.") &&
                      base::last_part(call->path) == "oneshot" && call->function == nullptr;
    for (const auto& name : ours ? call->names : decltype(call->names)()) {
      if (name.value.starts_with('*') || base::contains(oneshot_arguments(), name.value)) continue;
      report_argument(name, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
