#pragma once

#include "dialect/nni/config.h"
#include "dialect/record/check.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::nni {

// How the schema of NNI 3.0 reads values: as Python's types, without conversion.
class SchemaPolicy : public Policy {
 public:
  explicit SchemaPolicy(const Context& context) : Policy(context.file, context.sink, "NNI"), context_(context) {}

  [[nodiscard]] bool expects_text(const Record&, std::string_view, const FieldSpec&) const override { return false; }

  [[nodiscard]] bool rejects(const source::Value& value, const FieldSpec& spec) const override;
  void check_valid(const Record& record, Field& field) const override;
  void report(const InvalidValue& invalid) const override;

 private:
  [[nodiscard]] bool is_tuple(const source::Value& value) const;
  [[nodiscard]] bool is_wrong_group(const source::Value& group) const;
  void report_bits(const InvalidValue& invalid) const;
  void report_choice(const InvalidValue& invalid) const;
  void report_float(const InvalidValue& invalid) const;

  const Context& context_;
};

}  // namespace sparsecfg::dialect::nni
