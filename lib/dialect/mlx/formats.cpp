#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "dialect/mlx/codes.h"
#include "dialect/mlx/conversion.h"

// Formats that the arguments of a call select (docs/semantics/mlx.md#c1-3).
namespace sparsecfg::dialect::mlx {

using source::Entry;

CallFormat format_of(const Context& context, const Call& call, const FormatArguments& names) {
  CallFormat out;
  out.unknown = call.open;
  const auto given = [&](std::string_view name) {
    const Entry* entry = name.empty() ? nullptr : call.find(name);
    const bool text = name == names.mode;
    const bool fits = entry == nullptr || (text ? entry->second.get<std::string>() != nullptr
                                                : entry->second.get<std::int64_t>() != nullptr);
    out.unknown = out.unknown || !fits || (entry != nullptr && context.is_unknown(entry->second));
    return entry;
  };
  out.group_size = given(names.group_size);
  out.bits = given(names.bits);
  out.mode = given(names.mode);
  if (out.unknown) return out;
  if (out.mode != nullptr) out.format.mode = source::python_str(out.mode->second);
  const Mode* mode = find_mode(out.format.mode);
  // The function of mlx-vlm has fixed defaults, its command those of the mode.
  const bool fixed = call.program->vision && !call.command;
  const auto number = [&](const Entry* entry, std::int64_t usual, std::int64_t of_mode) {
    const std::int64_t value = entry == nullptr ? 0 : *entry->second.get<std::int64_t>();
    if (value != 0) return value;
    return usual != 0 ? usual : of_mode;
  };
  out.format.group_size =
      number(out.group_size, fixed ? 64 : names.usual_group, mode == nullptr ? -1 : mode->group_size);
  out.format.bits = number(out.bits, fixed ? 4 : names.usual_bits, mode == nullptr ? -1 : mode->bits);
  return out;
}

// Returns the value of a list that is nearest to a number; zeros are no values.
static std::int64_t nearest_of(std::span<const std::int64_t> values, std::int64_t number) {
  std::int64_t best = values.front();
  for (const std::int64_t each : values) {
    if (each != 0 && std::abs(each - number) <= std::abs(best - number)) best = each;
  }
  return best;
}

// Returns the text of both numbers in the other order, if mlx has that format.
static std::string swapped(const Call& call, const CallFormat& given) {
  const Format other{given.format.mode, given.format.bits, given.format.group_size};
  if (given.group_size == nullptr || given.bits == nullptr || !is_supported(other)) return {};
  return fmt::format("write `{}, {}`",
                     call.text(source::python_str(given.group_size->first), std::to_string(other.group_size)),
                     call.text(source::python_str(given.bits->first), std::to_string(other.bits)));
}

// Returns how to change an argument so that mlx has the format.
static std::string repair(const Call& call, const CallFormat& given, const Entry& entry, bool is_bits) {
  const Mode& mode = *find_mode(given.format.mode);
  const std::span<const std::int64_t> values =
      is_bits ? std::span<const std::int64_t>(mode.bit_counts) : std::span<const std::int64_t>(mode.group_sizes);
  const std::int64_t number = is_bits ? given.format.bits : given.format.group_size;
  if (mode.name != kAffine)
    return fmt::format("delete `{}`: `{}` has {}", call.text(entry), mode.name, supported_formats(given.format));
  return fmt::format("write `{}`: mlx has {}",
                     call.text(source::python_str(entry.first), std::to_string(nearest_of(values, number))),
                     supported_formats(given.format));
}

bool check_format(const Context& context, const Call& call, const CallFormat& given) {
  if (given.unknown || is_supported(given.format)) return true;
  const Mode* mode = find_mode(given.format.mode);
  const bool good_bits =
      mode != nullptr && std::ranges::find(mode->bit_counts, given.format.bits) != mode->bit_counts.end();
  const bool is_bits = mode != nullptr && !good_bits && given.bits != nullptr;
  const Entry* cause = mode == nullptr ? given.mode : is_bits ? given.bits : given.group_size;
  auto& report = context.sink.report(diag::mlx_format_unsupported, cause == nullptr ? call.name : call.place(*cause),
                                     describe(given.format));
  const std::string other = swapped(call, given);
  if (cause == nullptr && mode != nullptr) {
    report.with_help(fmt::format("add `{}` and `{}`", call.text("q_group_size", std::to_string(mode->group_size)),
                                 call.text("q_bits", std::to_string(mode->bits))));
  } else if (mode == nullptr) {
    report.with_help("write " + supported_formats(given.format));
  } else {
    report.with_help(other.empty() ? repair(call, given, *cause, is_bits) : other);
  }
  return false;
}

}  // namespace sparsecfg::dialect::mlx
