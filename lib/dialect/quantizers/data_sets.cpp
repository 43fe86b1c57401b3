#include "dialect/quantizers/data_sets.h"

#include <algorithm>

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

std::string_view assigned_name(const script::Trace& trace, source::Span expression) {
  std::string_view before =
      base::trim(trace.text.substr(0, std::min<std::size_t>(expression.begin, trace.text.size())));
  if (!before.ends_with('=')) return {};
  before = base::trim(before.substr(0, before.size() - 1));
  const auto letter = [](char c) { return base::is_name_letter(c) || c == '.'; };
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), letter).base();
  return before.substr(static_cast<std::size_t>(begin - before.begin()));
}

}  // namespace sparsecfg::dialect::quantizers
