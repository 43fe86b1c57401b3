#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"

// Checks the settings of NAS policies (docs/semantics/ai8x.md#d1).
namespace sparsecfg::dialect::ai8x {

DIAGNOSTIC(AX302, never_validated, warning, (Text, Text), "`validation_freq` {} exceeds the {} epochs of the run",
           "From `start_epoch` on, train.py validates and saves a checkpoint only in epochs that are divisible by "
           "`validation_freq`. A longer interval than the run means that no checkpoint is saved after `start_epoch`.",
           "lower `validation_freq`, or pass a larger `--epochs`")

bool check_validation(const Context& context, const Record& policy) {
  const Field* field = policy.find("validation_freq");
  if (field == nullptr || !check_row(context, policy, *field)) {
    return field == nullptr;
  }
  const double every = *field->value.number();
  if (every == 0) {
    context.sink
        .report(diag::wrong_type, field->value.span, field->name, "a number of epochs other than 0",
                source::describe(field->value))
        .with_help("write `validation_freq: 1` to validate in every epoch");
  } else if (context.options.epochs && std::abs(every) > *context.options.epochs) {
    context.sink.report(diag::never_validated, field->value.span, source::python_str(field->value),
                        fmt::format("{}", *context.options.epochs));
  }
  return every != 0;
}

DIAGNOSTIC(AX303, string_is_true, warning, (Text, Text), "the string `{}` turns `{}` on",
           "The value is used as a truth value, and every string that is not empty is true.", "write `{1}: false`")

// Every nonempty string is true, even "false".
void check_truth(const Context& context, const Field& field) {
  const auto* text = field.value.get<std::string>();
  const std::string word = text == nullptr ? "" : base::to_lower(*text);
  if (word == "false" || word == "no" || word == "off" || word == "0") {
    context.sink.report(diag::string_is_true, field.value.span, *text, field.name)
        .with_fix(diag::Fix::unsafe().replace(field.value.span, word));
  }
}

void check_length(const Context& context, const Field& field, double epochs) {
  if (epochs < 0) {
    context.sink.report(diag::negative_epoch, field.value.span, field.name, source::python_str(field.value), "0")
        .with_severity(diag::Severity::warning)
        .with_help("write `num_epochs: 0` to skip the stage");
  }
}

DIAGNOSTIC(AX304, distillation_off, silent_warning, (Text), "teacher `{}` is unknown, so there is no distillation",
           "train.py compares `teacher_model` with `full_model` and `prev_stage_model`. For any other value it "
           "silently trains without a teacher.",
           "write `full_model` or `prev_stage_model`")

// Returns true for the name of a file or a folder, such as other options of train.py accept.
static bool looks_like_path(std::string_view text) {
  constexpr std::string_view kEndings[] = {".pth", ".tar", ".pt", ".ckpt", ".bin", ".onnx", ".h5", ".safetensors"};
  return text.find_first_of("/\\") != std::string_view::npos ||
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return text.ends_with(ending); });
}

bool check_teacher(const Context& context, const Field& teacher) {
  const auto* name = teacher.value.get<std::string>();
  if (name != nullptr && base::contains(kTeachers, *name)) {
    return true;
  }
  const std::string text = source::python_str(teacher.value);
  auto guess = base::nearest(text, kTeachers);
  for (const std::string_view known : kTeachers) {  // `full` and `prev_stage`
    if (!guess && text.size() >= 4 && known.starts_with(text)) guess = known;
  }
  auto& report = context.sink.report(diag::distillation_off, teacher.value.span, text);
  if (!guess && looks_like_path(text)) {
    report.with_caret("a mode, not a file")
        .with_help("write `full_model`: the teacher is the full model of this training")
        .with_fix(diag::Fix::unsafe().content(teacher.value.span, "full_model"));
    return false;
  }
  report.with_help(base::did_you_mean(guess, "write `full_model` or `prev_stage_model`"))
      .with_fix(guess ? diag::Fix::unsafe().content(teacher.value.span, std::string(*guess)) : diag::Fix());
  return false;
}

void check_temperature(const Context& context, const Record& distillation) {
  const Field* field = distillation.find("temperature");
  const auto number = field == nullptr ? std::nullopt : field->value.number();
  if (number && *number <= 0) {
    context.sink
        .report(diag::wrong_type, field->value.span, field->name, "a number above 0", source::describe(field->value))
        .with_severity(diag::Severity::warning)
        .with_help("write a temperature above 0; the outputs are divided by it");
  }
}

}  // namespace sparsecfg::dialect::ai8x
