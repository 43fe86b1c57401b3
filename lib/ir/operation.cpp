#include "ir/operation.h"

namespace sparsecfg::ir {

// Returns the number of scales of a matrix.
static double scales_of(const TensorFormat& format, const model::Shape& shape, double count) {
  const auto columns = static_cast<double>(shape.back());
  switch (format.granularity.value_or(Granularity::channel)) {
    case Granularity::tensor: return 0;
    case Granularity::group: return format.group_size > 0 ? count / static_cast<double>(format.group_size) : 0;
    case Granularity::block:
      return format.block[0] > 0 && format.block[1] > 0
                 ? count / static_cast<double>(format.block[0]) / static_cast<double>(format.block[1])
                 : 0;
    default: return count / columns;
  }
}

double default_stored_bits(const Scheme& scheme, const model::Module& module) {
  constexpr double kFullBits = 16;
  const auto elements = module.shape ? model::elements_of(*module.shape) : std::nullopt;
  if (!elements || *elements == 0) return 0;
  const auto count = static_cast<double>(*elements);
  if (scheme.weights.empty()) return count * kFullBits;
  const TensorFormat& format = scheme.weights.front();
  const bool small_scale = format.type == NumberType::floating && format.granularity == Granularity::group;
  const bool zero_point = format.type == NumberType::integer && format.symmetric == false;
  const double scale = (small_scale ? 8 : kFullBits) + (zero_point ? static_cast<double>(format.bits) : 0);
  return count * static_cast<double>(format.bits) + scales_of(format, *module.shape, count) * scale;
}

const Selection& selection_of(const Operation& operation) {
  return std::visit([](const auto& each) -> const Selection& { return each.selection; }, operation);
}

Selection& selection_of(Operation& operation) {
  return std::visit([](auto& each) -> Selection& { return each.selection; }, operation);
}

const Method& method_of(const Operation& operation) {
  return std::visit([](const auto& each) -> const Method& { return each.method; }, operation);
}

}  // namespace sparsecfg::ir
