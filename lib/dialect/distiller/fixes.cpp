#include "dialect/distiller/fixes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect::distiller {

using diag::Fix;

Fix split_policy(const Record& policy, const Field& kind) {
  Fix fix = Fix::safe().remove(kind.key).split(kind.key);
  for (const std::string_view name : {kRange[0], kRange[1], kRange[2], std::string_view("epochs")}) {
    if (const Field* field = policy.find(name)) {
      fix.repeat(field->key);
    }
  }
  return fix;
}

Fix ascending(const std::vector<source::Located<double>>& epochs) {
  std::vector<source::Located<double>> order = epochs;
  std::ranges::stable_sort(order, {}, &source::Located<double>::value);
  const bool listed_twice = std::ranges::adjacent_find(order) != order.end();
  Fix fix = Fix::safe();
  for (std::size_t at = 0; !listed_twice && at < order.size(); ++at) {
    fix.copy(epochs[at].span, order[at].span);
  }
  return fix;
}

Fix as_int(const Value& value, double least) {
  const auto* text = value.get<std::string>();
  const auto number = text != nullptr ? base::python_float(*text) : value.number();
  const bool whole = number && *number == std::floor(*number) && *number >= least && *number < 1e6;
  return whole ? Fix::safe().replace(value.span, fmt::format("{:.0f}", *number)) : Fix();
}

void offer_bits(diag::Diagnostic& report, const Value& value) {
  const auto* text = value.get<std::string>();
  const auto bits = text == nullptr             ? std::nullopt
                    : base::python_float(*text) ? base::python_float(*text)
                                                : doc::number_meant_by(*text);
  if (bits && *bits == std::floor(*bits) && *bits >= 1 && *bits <= 32) {
    const std::string written = fmt::format("{:.0f}", *bits);
    report.with_help(fmt::format("write `{}`", written)).with_fix(Fix::unsafe().replace(value.span, written));
  } else {
    report.with_help("write a whole number of bits, such as `8`, or `null` for none");
  }
}

Fix with_forward_only(const RunArguments& args) {
  const Field* given = args.record.find("mask_on_forward_only");
  return given != nullptr ? Fix::safe().replace(given->value.span, "true")
                          : Fix::safe().add_entry(args.mask_gradients->key, "mask_on_forward_only: true");
}

}  // namespace sparsecfg::dialect::distiller
