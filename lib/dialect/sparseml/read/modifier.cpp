#include "dialect/sparseml/read/modifier.h"

#include <cmath>

#include "base/text.h"

namespace sparsecfg::dialect::sparseml {

bool counts_as_empty(const source::Value& value) {
  const auto* text = value.get<std::string>();
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  return value.is_null() || (text != nullptr && text->empty()) || (list != nullptr && list->empty()) ||
         (map != nullptr && map->empty()) || value.number() == 0.0;
}

bool counts_as_true(const source::Value& value) {
  if (const auto* text = value.get<std::string>()) {
    return !text->empty() && base::to_lower(*text).find_first_of("f0") == std::string::npos;
  }
  return value.number().value_or(0) != 0;
}

double Modifier::start() const { return number("start_epoch").value_or(-1); }

double Modifier::end() const {
  const FieldSpec* row = spec->find("end_epoch");
  const double end = row == nullptr || !row->no_effect.empty() ? -1 : number("end_epoch").value_or(-1);
  return std::isnan(end) ? -1 : end;
}

}  // namespace sparsecfg::dialect::sparseml
