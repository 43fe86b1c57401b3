#include "dialect/stages/page.h"

#include <fmt/format.h>

#include "dialect/stages/table.h"

namespace sparsecfg::dialect::stages {

static FieldPage page_of(const FieldSpec& field) {
  std::vector<std::string> facts = {field.required ? "required" : fmt::format("default: {}", field.default_value),
                                    std::string(field.no_effect)};
  std::erase(facts, "");
  return {field.name, field.doc, std::move(facts)};
}

std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ModifierSpec& spec : modifiers()) {
    Page page{spec.name, "", "SparseML, stages", spec.doc, {}, true};
    for (const auto fields : {common_fields(), spec.fields}) {
      for (const FieldSpec& field : fields) {
        page.fields.push_back(page_of(field));
      }
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace sparsecfg::dialect::stages
