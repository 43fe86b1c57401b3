#include "dialect/gptqmodel/values.h"

#include "base/text.h"

namespace sparsecfg::dialect::gptqmodel {

using source::Value;

std::optional<std::string> lower_text(const Value* value) {
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::nullopt : std::optional(base::to_lower(*text));
}

bool is_true(const Value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto number = value->number()) return *number != 0;
  if (const auto* text = value->get<std::string>()) return !text->empty();
  if (const auto* list = value->get<source::List>()) return !list->empty();
  const auto* map = value->get<source::Map>();
  return map == nullptr || !map->empty();
}

}  // namespace sparsecfg::dialect::gptqmodel
