#pragma once

#include <string_view>
#include <vector>

#include "dialect/record/record.h"

namespace sparsecfg::dialect {

// Keeps the result of absent_fields() for one record during its lifetime, because a record can have thousands of
// unknown fields, each of which needs it. The names of the fields must not change meanwhile. Lives on the stack of one
// thread.
class AbsentFields {
 public:
  explicit AbsentFields(const Record& record);
  ~AbsentFields();
  AbsentFields(const AbsentFields&) = delete;
  AbsentFields& operator=(const AbsentFields&) = delete;

  // Returns the names for a record, or null if they are not kept.
  [[nodiscard]] static const std::vector<std::string_view>* of(const Record& record);

 private:
  const Record* record_;
  std::vector<std::string_view> names_;
  const AbsentFields* outer_;
};

}  // namespace sparsecfg::dialect
