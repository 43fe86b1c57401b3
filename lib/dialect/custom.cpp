#include "dialect/custom.h"

#include <algorithm>
#include <array>

namespace sparsecfg::dialect {

static constexpr std::array<std::pair<std::string_view, Type>, 7> kTypeWords = {{{"any", Type::any},
                                                                                 {"bool", Type::boolean},
                                                                                 {"dict", Type::any_mapping},
                                                                                 {"float", Type::real},
                                                                                 {"int", Type::whole},
                                                                                 {"list", Type::list},
                                                                                 {"str", Type::text}}};

std::optional<Type> read_custom_type(std::string_view word) {
  const auto* const found = std::ranges::find(kTypeWords, word, &std::pair<std::string_view, Type>::first);
  return found == kTypeWords.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string_view> custom_type_words() {
  std::vector<std::string_view> out;
  for (const auto& [word, type] : kTypeWords) out.push_back(word);
  return out;
}

CustomClasses::CustomClasses(const std::vector<CustomClass>& classes) {
  for (const CustomClass& each : classes) classes_[each.name] = each;
}

const CustomClass* CustomClasses::find(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

const ClassSpec* CustomClasses::row(const CustomClass& custom, const ClassSpec* (*stock)(std::string_view),
                                    const ClassSpec& opaque) const {
  const ClassSpec* base = custom.like.empty() ? &opaque : stock(custom.like);
  if (base == nullptr) {
    return nullptr;
  }
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Row>& row = rows_[{&custom, base}];
  if (row == nullptr) {
    row = std::make_unique<Row>(Row{*base, {}});
    for (const auto& [name, type] : custom.fields) {
      row->fields.push_back({.name = name, .type = type, .default_value = "null", .nullable = true});
    }
    std::ranges::copy_if(base->fields, std::back_inserter(row->fields), [&](const FieldSpec& field) {
      return std::ranges::find(custom.fields, field.name,
                               [](const auto& own) { return std::string_view(own.first); }) == custom.fields.end();
    });
    row->spec.name = custom.name;
    row->spec.fields = row->fields;
    row->spec.open = base->open || custom.any_fields;
  }
  return &row->spec;
}

}  // namespace sparsecfg::dialect
