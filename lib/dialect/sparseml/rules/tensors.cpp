#include <cstddef>
#include <utility>
#include <vector>

#include "dialect/sparseml/rules/rules.h"

// Checks values that are assigned to parameters (reference/sparseml.md B.5).
namespace sparsecfg::dialect::sparseml {

using source::Value;

std::optional<std::vector<std::size_t>> tensor_lengths(const Value& value) {
  const auto* list = value.get<source::List>();
  if (list == nullptr) {
    return value.number() ? std::optional(std::vector<std::size_t>()) : std::nullopt;
  }
  std::optional<std::vector<std::size_t>> inner = std::vector<std::size_t>();
  for (std::size_t at = 0; at < list->size() && inner; ++at) {
    auto lengths = tensor_lengths((*list)[at]);
    inner = at == 0 || lengths == inner ? std::move(lengths) : std::nullopt;
  }
  if (inner) inner->insert(inner->begin(), list->size());
  return inner;
}

// A gradual parameter changes from one tensor to the other element by element, so both need the same shape.
void check_values(Modifier& modifier, diag::Sink& sink) {
  std::optional<std::vector<std::size_t>> first;
  for (const std::string_view name : {"val", "init_val", "final_val"}) {
    const Field* field = modifier.spec->find(name) == nullptr ? nullptr : modifier.readable(name);
    const auto lengths = field == nullptr ? std::nullopt : tensor_lengths(field->value);
    if (field != nullptr && !lengths) {
      sink.report(diag::wrong_type, field->value.span, name, "a number or a list of numbers",
                  source::describe(field->value))
          .with_help("write the numbers without quotes, the same count in each nested list");
      invalidate(modifier, name);
    } else if (first && lengths && *first != *lengths) {
      sink.report(diag::wrong_type, field->value.span, name, "of the same shape as `init_val`",
                  source::describe(field->value))
          .with_label(modifier.place("init_val"), "the initial value")
          .with_help("write the same number of values as in `init_val`");
    }
    if (field != nullptr) first = lengths;
  }
}

}  // namespace sparsecfg::dialect::sparseml
