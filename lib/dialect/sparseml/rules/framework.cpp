#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"

// Rules that only Keras and TensorFlow (docs/semantics/sparseml.md#b8) or the 2020 releases
// (docs/semantics/sparseml.md#g1) have.
namespace sparsecfg::dialect::sparseml {

using source::Value;

diag::Severity later(const Modifier& modifier) {
  return is_tensorflow(modifier.framework) ? diag::Severity::warning : diag::Severity::error;
}

DIAGNOSTIC(SP412, leave_enabled_false, error, (Text), "`leave_enabled` must be true for {}, but is read as false",
           "Keras and TensorFlow cannot remove a mask at the end of pruning, and the constructor rejects any other "
           "value. PyTorch can.",
           "write `leave_enabled: true`, or delete the field")

static void check_leave_enabled(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("leave_enabled");
  if (field != nullptr && !counts_as_true(field->value)) {
    sink.report(diag::leave_enabled_false, field->value.span, name_of(modifier.framework))
        .with_help("delete the field")
        .with_fix(diag::Fix::safe().remove(field->key));
    invalidate(modifier, "leave_enabled");
  }
}

// The constructor checks each sparsity of a list, but the ramp then uses the list as a number.
static void check_sparsity_list(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("final_sparsity");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  if (list == nullptr) {
    return;
  }
  const auto outside = std::ranges::find_if(*list, [](const Value& item) {
    const auto sparsity = item.number();
    return !sparsity || !(*sparsity > 0 && *sparsity < 1);
  });
  if (outside != list->end()) {
    sink.report(diag::sparsity_out_of_range, outside->span, field->name, source::python_str(*outside), "(0.0, 1.0)");
    invalidate(modifier, "final_sparsity");
    return;
  }
  sink.report(diag::wrong_type, field->value.span, field->name, "a float", source::describe(field->value))
      .with_severity(later(modifier))
      .with_help("write one number: SparseML loads a list but fails when it computes the ramp");
}

DIAGNOSTIC(SP413, from_param_unsupported, error, (Text), "`{}` cannot be `__FROM_PARAM__`",
           "Only the initial sparsity of a gradual pruner can be measured from the parameters.",
           "write a number from 0 to 1")

static void check_measured_sparsity(const Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("init_sparsity");
  if (field != nullptr && field->value.get<std::string>() != nullptr) {
    sink.report(diag::from_param_unsupported, field->value.span, field->name)
        .with_severity(later(modifier))
        .with_help("write a number: only the PyTorch reader supports `__FROM_PARAM__`");
  }
}

DIAGNOSTIC(SP516, lr_class_not_built, warning, (Text, Text), "SparseML loads `{}` but cannot build it for {}",
           "The constructor is shared with PyTorch and accepts the name. For Keras and TensorFlow, SparseML "
           "implements only StepLR, MultiStepLR and ExponentialLR. The others fail when the training is set up.",
           "write `StepLR`, `MultiStepLR` or `ExponentialLR`")

static void check_tensorflow_scheduler(const Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("lr_class");
  if (field != nullptr && modifier.text("lr_class") == "CosineAnnealingWarmRestarts") {
    sink.report(diag::lr_class_not_built, field->value.span, modifier.text("lr_class"), name_of(modifier.framework))
        .with_help("use `StepLR`, `MultiStepLR` or `ExponentialLR`");
  }
}

DIAGNOSTIC(SP626, all_made_trainable, error, (Text), "`__ALL__` cannot be made trainable in {}",
           "With `trainable: true` the constructor for Keras and TensorFlow requires a list of names. Freezing all "
           "parameters with `__ALL__` works.",
           "list the names of the parameters")

static void check_all_trainable(Modifier& modifier, diag::Sink& sink) {
  const Field* params = modifier.readable("params");
  const Field* trainable = modifier.readable("trainable");
  const auto* text = params == nullptr ? nullptr : params->value.get<std::string>();
  if (text != nullptr && base::to_upper(*text) == "__ALL__" && trainable != nullptr &&
      counts_as_true(trainable->value)) {
    sink.report(diag::all_made_trainable, params->value.span, name_of(modifier.framework))
        .with_label(trainable->value.span, "makes the parameters trainable")
        .with_help("list the parameter names");
    invalidate(modifier, "params");
  }
}

static void check_tensorflow(Modifier& modifier, diag::Sink& sink) {
  const auto kind = modifier.spec->kind.as<ClassKind>();
  if (kind == ClassKind::gradual_pruning) {
    check_dimension_mask(modifier, sink);
    check_leave_enabled(modifier, sink);
    check_sparsity_list(modifier, sink);
    check_measured_sparsity(modifier, sink);
  } else if (kind == ClassKind::learning_rate) {
    check_tensorflow_scheduler(modifier, sink);
  } else if (kind == ClassKind::trainable) {
    check_all_trainable(modifier, sink);
  }
}

static void check_2020(Modifier& modifier, diag::Sink& sink) {
  if (modifier.spec->kind == ClassKind::gradual_pruning) {
    check_dimension_mask(modifier, sink);
  }
}

void check_framework(Modifier& modifier, diag::Sink& sink) {
  if (is_tensorflow(modifier.framework)) {
    check_tensorflow(modifier, sink);
  } else if (modifier.framework == Framework::pytorch_2020) {
    check_2020(modifier, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
