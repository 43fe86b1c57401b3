#include <algorithm>
#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/rules/rules.h"

// Layers that LayerPruningModifier replaces with an identity.
namespace sparsecfg::dialect::sparseml {

using source::Value;

static bool is_layer_inside(std::string_view layer, std::string_view other) {
  return layer.size() > other.size() && layer.starts_with(other) && layer[other.size()] == '.';
}

// SparseML replaces the layers in the order of the list, and puts them back in the same order.
static void check_nested_layers(const Modifier& modifier, const source::List& layers, diag::Sink& sink) {
  const auto name_of = [](const Value& layer) {
    const auto* text = layer.get<std::string>();
    return text == nullptr ? std::string_view() : std::string_view(*text);
  };
  for (std::size_t at = 1; at < layers.size(); ++at) {
    for (std::size_t before = 0; before < at; ++before) {
      const std::string_view inner = name_of(layers[at]);
      const std::string_view outer = name_of(layers[before]);
      const bool restores = modifier.end() != -1 && is_layer_inside(outer, inner);
      if (inner.empty() || outer.empty() || !(is_layer_inside(inner, outer) || restores)) continue;
      sink.report(diag::wrong_type, layers[at].span, "layers", "a list of layers that do not contain each other",
                  source::describe(layers[at]))
          .with_label(layers[before].span, restores ? "this layer is inside it" : "this layer contains it")
          .with_help("remove the inner layer from the list");
      return;
    }
  }
}

DIAGNOSTIC(
    SP440, layers_come_back, silent_warning, (Text), "the removed layers come back at {}",
    "LayerPruningModifier replaces the layers from its start on, and puts them back at its end, with the weights "
    "that they had. If the training ends earlier, `finalize` puts them back. The result has all layers.",
    "delete `end_epoch`")

// Reports an end. Only without one do the layers stay removed (docs/semantics/sparseml.md#c4-5).
static void check_return(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  const Field* end = modifier.readable("end_epoch");
  const double epoch = modifier.end();
  if (end == nullptr || !(epoch > std::max(modifier.start(), 0.0))) return;
  const bool later = run.epochs && epoch >= *run.epochs;
  sink.report(diag::layers_come_back, end->value.span,
              later ? "the end of the training" : fmt::format("epoch {}", base::python_repr(epoch)))
      .with_help("delete `end_epoch`, so that the layers stay removed")
      .with_fix(diag::Fix::unsafe().remove(end->key));
}

// SparseML cannot replace the model itself, which `__ALL__` and an empty name include.
void check_removed_layers(const Modifier& modifier, const Run& run, diag::Sink& sink) {
  check_return(modifier, run, sink);
  const Field* field = modifier.readable("layers");
  const auto* list = field == nullptr ? nullptr : field->value.get<source::List>();
  const auto is_all = [](const Value& value) {
    const auto* text = value.get<std::string>();
    return text != nullptr && (text->empty() || base::to_upper(*text) == "__ALL__");
  };
  if (field != nullptr && (is_all(field->value) || (list != nullptr && std::ranges::any_of(*list, is_all)))) {
    sink.report(diag::wrong_type, field->value.span, "layers", "a list of layers within the model",
                source::describe(field->value))
        .with_help("list the layers, or write `__ALL_PRUNABLE__`");
  } else if (list != nullptr) {
    check_nested_layers(modifier, *list, sink);
  }
}

}  // namespace sparsecfg::dialect::sparseml
