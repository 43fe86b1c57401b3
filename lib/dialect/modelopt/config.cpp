#include "dialect/modelopt/config.h"

#include <algorithm>
#include <tuple>

namespace sparsecfg::dialect::modelopt {

std::optional<std::int64_t> Blocks::last() const {
  const auto found = std::ranges::find(sizes, -1, &std::pair<std::int64_t, std::optional<std::int64_t>>::first);
  return found == sizes.end() ? std::nullopt : found->second;
}

bool operator==(const Attributes& a, const Attributes& b) {
  const auto key = [](const Attributes& each) {
    return std::tie(each.bits, each.floating, each.text_bits, each.axis, each.several_axes, each.dynamic, each.real,
                    each.rotated, each.shifted, each.custom, each.constant, each.others);
  };
  return key(a) == key(b) && a.blocks == b.blocks;
}

static ir::FloatKind kind_of(FloatBits bits) {
  static constexpr std::pair<FloatBits, ir::FloatKind> kKinds[] = {{kE4M3, ir::FloatKind::e4m3},
                                                                   {{5, 2}, ir::FloatKind::e5m2},
                                                                   {{3, 2}, ir::FloatKind::e3m2},
                                                                   {{2, 3}, ir::FloatKind::e2m3},
                                                                   {kE2M1, ir::FloatKind::e2m1}};
  const auto* found = std::ranges::find(kKinds, bits, &std::pair<FloatBits, ir::FloatKind>::first);
  return found == std::end(kKinds) ? ir::FloatKind::usual : found->second;
}

static void set_blocks(ir::TensorFormat& out, const Blocks& blocks) {
  const auto last = blocks.last();
  const auto rows = std::ranges::find(blocks.sizes, -2, &std::pair<std::int64_t, std::optional<std::int64_t>>::first);
  const bool both = blocks.sizes.size() == 2 && last && rows != blocks.sizes.end() && rows->second;
  if (both) {
    out.granularity = ir::Granularity::block;
    out.block = {*rows->second, *last};
  } else if (blocks.sizes.size() == 1 && blocks.sizes.front().first == -1) {
    out.granularity = last ? ir::Granularity::group : ir::Granularity::token;
    out.group_size = last.value_or(0);
  } else {
    out.granularity = std::nullopt;
  }
  if (blocks.scale == kE8M0) out.scale_type = "e8m0";
  if (blocks.scale == kE4M3) {
    out.scale_type = "e4m3";
    out.tensor_scale = true;
  }
}

// Returns the attributes that change values but not the format.
static std::string others_of(const Attributes& attributes) {
  std::string out = attributes.others;
  const auto add = [&](bool has, std::string_view text) {
    if (has) out += (out.empty() ? "" : ", ") + std::string(text);
  };
  add(attributes.constant, "constant maximum");
  add(attributes.rotated, "rotation");
  add(attributes.shifted, "bias");
  add(attributes.custom, "own backend");
  return out;
}

ir::TensorFormat format_of(const Attributes& attributes, bool weights) {
  ir::TensorFormat out;
  out.type = attributes.floating ? ir::NumberType::floating : ir::NumberType::integer;
  out.bits = attributes.floating ? 1 + attributes.floating->exponent + attributes.floating->mantissa : attributes.bits;
  if (attributes.floating) out.float_kind = kind_of(*attributes.floating);
  if (attributes.shifted) out.symmetric = false;
  out.observer = others_of(attributes);
  const bool dynamic = attributes.dynamic || (attributes.blocks && attributes.blocks->dynamic);
  if (dynamic && !weights) out.scales = ir::ScaleTime::dynamic;
  if (attributes.blocks) {
    set_blocks(out, *attributes.blocks);
    if (dynamic && !weights && out.tensor_scale) out.scales = ir::ScaleTime::local;
  } else if (attributes.axis || attributes.several_axes) {
    out.granularity = attributes.axis == 0 ? std::optional(ir::Granularity::channel) : std::nullopt;
  }
  return out;
}

}  // namespace sparsecfg::dialect::modelopt
