#include "dialect/stages/schema.h"

#include <fmt/format.h>

namespace sparsecfg::dialect::stages {

static FieldPage field_page(const FieldSpec& field) {
  std::vector<std::string> facts = {
      field.required ? "required" : fmt::format("default: {}", field.default_value),
      field.choices.empty() ? "" : fmt::format("one of {}", fmt::join(field.choices, ", ")),
      field.record == nullptr ? "" : fmt::format("fields of `{}`", field.record->name), std::string(field.no_effect)};
  std::erase(facts, "");
  return {field.name, field.doc, std::move(facts)};
}

Page page_of(const RecordSpec& record, std::string_view reader, std::string_view doc) {
  Page page{record.name, "", reader, doc, {}, true};
  for (const FieldSpec& field : record.fields) {
    page.fields.push_back(field_page(field));
  }
  return page;
}

std::vector<Page> pages(const Table& table, std::string_view reader) {
  std::vector<Page> pages;
  for (const ModifierSpec& spec : table.modifiers) {
    Page page{spec.name, "", reader, spec.doc, {}, true};
    for (const auto fields : {table.common, spec.fields}) {
      for (const FieldSpec& field : fields) {
        page.fields.push_back(field_page(field));
      }
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace sparsecfg::dialect::stages
