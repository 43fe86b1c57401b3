#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "dialect/record/record.h"

// Fields of a record that are one mistake, such as the epochs of another system.
namespace sparsecfg::dialect {

using RelatedFields = std::vector<const Field*>;

// Calls `report` with all fields for which `belongs` returns true, if `field` is the first of them. Returns false if
// `field` is none of them.
bool report_related(const Fields& fields, const Field& field, auto belongs, auto report) {
  if (!belongs(field)) return false;
  if (&*std::ranges::find_if(fields, belongs) != &field) return true;
  RelatedFields related;
  for (const Field& each : fields) {
    if (belongs(each)) related.push_back(&each);
  }
  report(related);
  return true;
}

// Labels all fields except for the first one, at which they are reported.
inline void label_others(diag::Diagnostic& report, const RelatedFields& fields,
                         const std::string& label = "unknown as well") {
  for (const Field* field : fields) {
    if (field != fields.front()) report.with_label(field->key, label);
  }
}

}  // namespace sparsecfg::dialect
