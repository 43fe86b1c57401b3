#include "dialect/mlx/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/text.h"

namespace sparsecfg::dialect::mlx {

constexpr Mode kModes[] = {
    {"affine", 64, 4, {32, 64, 128}, {2, 3, 4, 5, 6, 8}},
    {"mxfp4", 32, 4, {32}, {4}},
    {"nvfp4", 16, 4, {16}, {4}},
    {"mxfp8", 32, 8, {32}, {8}},
};

const Mode* find_mode(std::string_view name) {
  const auto* found = std::ranges::find(kModes, name, &Mode::name);
  return found == std::end(kModes) ? nullptr : found;
}

bool is_supported(const Format& format) {
  const Mode* mode = find_mode(format.mode);
  return mode != nullptr && format.group_size > 0 && format.bits > 0 &&
         std::ranges::find(mode->group_sizes, format.group_size) != mode->group_sizes.end() &&
         std::ranges::find(mode->bit_counts, format.bits) != mode->bit_counts.end();
}

// Returns "32, 64 or 128". Zeros are no numbers.
static std::string either(std::span<const std::int64_t> numbers) {
  std::vector<std::string> parts;
  for (const std::int64_t number : numbers) {
    if (number != 0) parts.push_back(std::to_string(number));
  }
  const std::string last = std::move(parts.back());
  parts.pop_back();
  return parts.empty() ? last : fmt::format("{} or {}", fmt::join(parts, ", "), last);
}

std::string supported_formats(const Format& format) {
  const Mode* mode = find_mode(format.mode);
  if (mode == nullptr) return "the mode `affine`, `mxfp4`, `nvfp4` or `mxfp8`";
  return fmt::format("groups of {} with {} bits", either(mode->group_sizes), either(mode->bit_counts));
}

std::string describe(const Format& format) {
  return fmt::format("{} bits in groups of {}, mode {}", format.bits, format.group_size, base::printable(format.mode));
}

ir::Scheme scheme_of(const Format& format) {
  ir::TensorFormat out{.bits = format.bits, .symmetric = false, .granularity = ir::Granularity::group};
  out.group_size = format.group_size;
  if (format.mode != kAffine) {
    out.type = ir::NumberType::floating;
    out.scale_type = format.mode == "nvfp4" ? "e4m3" : "e8m0";
  }
  return {{std::move(out)}, {}, {}};
}

constexpr std::string_view kOwnKeys[] = {"group_size", "bits", "mode"};

bool is_own_key(std::string_view key) { return base::contains(kOwnKeys, key); }

Format format_of_entry(const Value& entry) {
  Format out;
  if (const Value* mode = entry.given("mode")) out.mode = source::python_str(*mode);
  const Mode* mode = find_mode(out.mode);
  const auto number = [&](std::string_view key, std::int64_t fallback) {
    const Value* value = entry.given(key);
    if (value == nullptr) return fallback;
    const auto* whole = value->get<std::int64_t>();
    return whole == nullptr ? 0 : *whole;
  };
  out.group_size = number("group_size", mode == nullptr ? 0 : mode->group_size);
  out.bits = number("bits", mode == nullptr ? 0 : mode->bits);
  return out;
}

}  // namespace sparsecfg::dialect::mlx
