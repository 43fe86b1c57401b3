#include "dialect/back_end.h"

#include <algorithm>

#include "regex/literal.h"

namespace sparsecfg::dialect {

std::string regex_of(const NameSelector& selector) {
  if (!selector.name.empty()) return regex::literal(selector.name) + "$";
  const std::string begin = selector.inside.empty() ? "" : regex::literal(selector.inside) + "\\.";
  return begin + ".*" + (selector.tail.empty() ? "" : "\\." + regex::literal(selector.tail) + "$");
}

std::string glob_of(const NameSelector& selector) {
  if (!selector.name.empty()) return selector.name;
  const std::string begin = selector.inside.empty() ? "" : selector.inside + ".";
  return begin + "*" + (selector.tail.empty() ? "" : "." + selector.tail);
}

bool FormatRow::contains(const ir::TensorFormat& format) const {
  const bool usual = format.kind_of_float() == ir::TensorFormat{format.type, format.bits}.kind_of_float();
  const bool integer = type == ir::NumberType::integer;
  const bool size = granularity == ir::Granularity::block   ? format.block == std::array{rows, group_size}
                    : granularity == ir::Granularity::group ? group_size == 0 || group_size == format.group_size
                                                            : true;
  return format.type == type && min_bits <= format.bits && format.bits <= max_bits && usual &&
         format.granularity == granularity && size && (!integer || !symmetric || format.symmetric == symmetric) &&
         (!integer || format.symmetric) && format.scales == scales && format.scale_type == scale_type &&
         format.tensor_scale == (scale_type == "e4m3") && format.zero_point.empty();
}

const SchemeRow* BackEnd::find(const ir::Scheme& scheme) const {
  if (scheme.weights.size() != 1 || scheme.inputs.size() > 1) return nullptr;
  const auto found = std::ranges::find_if(schemes, [&](const SchemeRow& row) {
    const bool inputs =
        row.inputs ? !scheme.inputs.empty() && row.inputs->contains(scheme.inputs.front()) : scheme.inputs.empty();
    return inputs && row.weights.contains(scheme.weights.front());
  });
  return found == schemes.end() ? nullptr : &*found;
}

}  // namespace sparsecfg::dialect
