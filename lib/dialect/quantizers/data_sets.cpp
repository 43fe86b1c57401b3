#include "dialect/quantizers/data_sets.h"

#include "base/text.h"
#include "dialect/quantizers/program.h"

namespace sparsecfg::dialect::quantizers {

constexpr std::string_view kKeepingColumns[] = {"select", "shuffle", "take", "skip"};

static bool keeps_columns(const script::Value& call) {
  const std::string_view method = base::last_part(call.path);
  return is_method(call, method) && base::contains(kKeepingColumns, method);
}

const script::Value* loaded_dataset(const script::Value& value) {
  const script::Value* out = &value;
  while (out->kind == script::Value::Kind::object && keeps_columns(*out)) out = out->owner.get();
  const bool loads = out->kind == script::Value::Kind::object && out->imported &&
                     out->path == "datasets.load_dataset" && !out->open && !out->possible &&
                     out->argument("**") == nullptr;
  return loads ? out : nullptr;
}

bool keeps_dataset(const script::Value& object, std::string_view method) {
  return base::contains(kKeepingColumns, method) && loaded_dataset(object) != nullptr;
}

}  // namespace sparsecfg::dialect::quantizers
