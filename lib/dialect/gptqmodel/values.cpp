#include "dialect/gptqmodel/values.h"

#include "base/text.h"
#include "python/numbers.h"

namespace sparsecfg::dialect::gptqmodel {

using source::Value;

std::optional<std::string> lower_text(const Value* value) {
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::nullopt : std::optional(base::to_lower(*text));
}

bool is_true(const Value* value) { return value != nullptr && python::is_true(*value); }

}  // namespace sparsecfg::dialect::gptqmodel
