#include <fmt/core.h>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/read.h"

// Errors of NNI 3.0 for distillation targets.
namespace sparsecfg::dialect::nni {

using source::Value;

// Reports linked modules that the model lacks. Returns false if any are reported.
static bool check_link(const Value& link, const Context& context) {
  bool valid = true;
  const auto* single = link.get<std::string>();
  const auto names =
      single != nullptr ? std::vector{source::Located<std::string>{*single, link.span}} : texts_of(&link);
  for (const auto& name : names) {
    const bool known = !context.model.known() || (name.value == "auto" && single != nullptr) ||
                       context.model.find(name.value) != nullptr;
    if (!known) {
      valid = false;
      context.sink.report(diag::unknown_module, name.span, name.value, context.model.modules().size())
          .with_help("`link` names modules of the teacher; list the teacher's modules in `--modules` as well");
    }
  }
  return valid;
}

DIAGNOSTIC(SP630, container_distilled, error, (Text, Text, Text), "`{}` can't distill the `{}` `{}`",
           "NNI wraps the container. A wrapped `nn.Sequential` calls itself as its last child, which raises a "
           "RecursionError in the first forward pass. A wrapped `nn.ModuleList` has itself as an item without "
           "`forward`. An `nn.ModuleDict` is never called, so it has no output to distill.",
           "select the modules inside it instead")

void check_distillation(Compressor& compressor, const Target& target, const Context& context) {
  Entry& entry = compressor.entries[target.entry];
  const Value* factor = target.get("lambda");
  if (factor != nullptr && factor->get<double>() == nullptr) {
    entry.valid = false;
    context.sink.report(diag::float_required, entry.place(factor), "lambda", source::describe(*factor))
        .with_help("write a float: NNI's schema accepts an int, but the distiller fails on it")
        .with_fix(factor->get<std::int64_t>() != nullptr && !factor->span.empty()
                      ? diag::Fix::safe().replace(factor->span, base::python_repr(*factor->number()))
                      : diag::Fix());
  }
  const Value* link = target.get("link");
  if (link != nullptr && !check_link(*link, context)) {
    entry.valid = false;
  }
  static constexpr std::string_view kContainers[] = {"Sequential", "ModuleList", "ModuleDict"};
  const ClassSpec* distiller = compressor.mask_class();
  if (base::contains(kContainers, target.module.type) && distiller != nullptr) {
    // Adaptive1dLayerwiseDistiller requires the output (docs/semantics/nni.md#e1-16).
    const bool idle = target.module.type == "ModuleDict" && distiller->name == "DynamicLayerwiseDistiller";
    entry.valid = entry.valid && idle;
    context.sink.report(diag::container_distilled, entry.span, distiller->name, target.module.type, target.module.name)
        .with_severity(idle ? diag::Severity::warning : diag::Severity::error)
        .with_help(target.module.type == "Sequential"
                       ? "select the last module inside it instead, which has the same output"
                       : "");
  }
}

}  // namespace sparsecfg::dialect::nni
