#include "ir/scheme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>

namespace sparsecfg::ir {

std::optional<FloatKind> TensorFormat::kind_of_float() const {
  if (type != NumberType::floating) return std::nullopt;
  if (float_kind != FloatKind::usual) return float_kind;
  return bits == 8 ? FloatKind::e4m3 : bits == 4 ? FloatKind::e2m1 : FloatKind::usual;
}

// Returns the fields that apply to a format. Only integers have a meaningful symmetry.
static auto meaning_of(const TensorFormat& format) {
  const bool integer = format.type == NumberType::integer;
  const bool grouped = format.granularity == Granularity::group;
  const bool blocks = format.granularity == Granularity::block;
  return std::tuple(format.type, format.bits, integer ? format.symmetric : std::optional(true), format.granularity,
                    grouped ? format.group_size : 0, blocks ? format.block : std::array<std::int64_t, 2>(),
                    format.scales, format.kind_of_float(), std::string_view(format.scale_type),
                    std::string_view(format.zero_point), format.tensor_scale, std::string_view(format.observer),
                    std::string_view(format.order));
}

bool operator==(const TensorFormat& a, const TensorFormat& b) { return meaning_of(a) == meaning_of(b); }

// --- names ------------------------------------------------------------------------------------------------------

std::string_view to_string(NumberType type) {
  static constexpr std::string_view kTypes[] = {"int", "float", "codebook"};
  return kTypes[static_cast<std::size_t>(type)];
}

std::string_view to_string(Granularity granularity) {
  static constexpr std::string_view kGranularities[] = {"tensor", "channel", "token", "group", "block", "head"};
  return kGranularities[static_cast<std::size_t>(granularity)];
}

std::string_view to_string(FloatKind kind) {
  static constexpr std::string_view kKinds[] = {"usual", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "e4m3fnuz"};
  return kKinds[static_cast<std::size_t>(kind)];
}

// --- in words ---------------------------------------------------------------------------------------------------

static std::string type_text(const TensorFormat& format) {
  if (format.type == NumberType::codebook) return fmt::format("{}-bit codebook", format.bits);
  const bool usual = format.kind_of_float() == TensorFormat{format.type, format.bits}.kind_of_float();
  const std::string kind = usual ? "" : fmt::format(" {}", to_string(format.float_kind));
  return fmt::format("{}{}{}", to_string(format.type), format.bits, kind);
}

static std::string granularity_text(const TensorFormat& format) {
  if (!format.granularity) return "scales unknown";
  switch (*format.granularity) {
    case Granularity::group: return fmt::format("groups of {}", format.group_size);
    case Granularity::block:
      return format.block[0] == 0 ? "blocks" : fmt::format("blocks of {} x {}", format.block[0], format.block[1]);
    case Granularity::head: return "per attn_head";
    default: return fmt::format("per {}", to_string(*format.granularity));
  }
}

// Only floats with a type of zero points are asymmetric.
static bool is_asymmetric(const TensorFormat& format) {
  return format.symmetric == false && (format.type == NumberType::integer || !format.zero_point.empty());
}

std::string describe(const TensorFormat& format) {
  const bool in = format.granularity == Granularity::group || format.granularity == Granularity::block;
  return fmt::format("{}{}{}{}{}", type_text(format),
                     in                   ? " in "
                     : format.granularity ? " "
                                          : ", ",
                     granularity_text(format), is_asymmetric(format) ? ", asymmetric" : "",
                     format.scales == ScaleTime::fixed ? "" : ", dynamic");
}

std::string describe(const std::vector<TensorFormat>& formats) {
  std::vector<std::string> texts;
  for (const TensorFormat& format : formats) texts.push_back(describe(format));
  return fmt::format("{}", fmt::join(texts, ", then "));
}

std::string describe(const Scheme& scheme) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view tensor, const std::vector<TensorFormat>& formats) {
    if (!formats.empty()) parts.push_back(fmt::format("{} {}", tensor, describe(formats)));
  };
  add("weights", scheme.weights);
  add("inputs", scheme.inputs);
  add("outputs", scheme.outputs);
  return parts.empty() ? "nothing is quantized" : fmt::format("{}", fmt::join(parts, "; "));
}

static std::string types_text(const std::vector<TensorFormat>& formats) {
  std::vector<std::string> texts;
  for (const TensorFormat& format : formats) texts.push_back(type_text(format));
  return formats.empty() ? "16 bits" : fmt::format("{}", fmt::join(texts, " then "));
}

std::string short_name(const Scheme& scheme) {
  std::string out = types_text(scheme.weights);
  if (!scheme.inputs.empty()) out += fmt::format(" with {} inputs", types_text(scheme.inputs));
  if (!scheme.outputs.empty()) out += fmt::format(" and {} outputs", types_text(scheme.outputs));
  return out;
}

// --- changes ----------------------------------------------------------------------------------------------------

// Returns "groups of 128 -> 64" instead of "groups of 128 -> groups of 64".
static std::string arrow(std::string_view before, std::string_view after) {
  constexpr std::string_view kGroups = "groups of ";
  const bool same_kind = before.starts_with(kGroups) && after.starts_with(kGroups);
  return fmt::format("{} -> {}", before, same_kind ? after.substr(kGroups.size()) : after);
}

static std::string_view time_text(const TensorFormat& format) {
  switch (format.scales) {
    case ScaleTime::fixed: return "static scales";
    case ScaleTime::dynamic: return "dynamic scales";
    case ScaleTime::local: return "local scales";
  }
  return "";
}

static std::string_view symmetry_text(const TensorFormat& format) {
  const bool unknown = format.type == NumberType::integer && !format.symmetric;
  return unknown ? "unknown symmetry" : is_asymmetric(format) ? "asymmetric" : "symmetric";
}

// Returns "observer mse", or "usual observer" for an empty name.
static std::string named(std::string_view what, const std::string& name) {
  return name.empty() ? fmt::format("usual {}", what) : fmt::format("{} {}", what, name);
}

// Adds the first setting in which two formats with the same description differ.
static void add_setting(const TensorFormat& one, const TensorFormat& other, std::array<std::string, 2>& names) {
  constexpr std::pair<std::string_view, std::string TensorFormat::*> kSettings[] = {
      {"order of columns", &TensorFormat::order},
      {"type of scales", &TensorFormat::scale_type},
      {"type of zero points", &TensorFormat::zero_point},
      {"observer", &TensorFormat::observer}};
  for (const auto& [what, setting] : kSettings) {
    if (one.*setting == other.*setting) continue;
    names[0] += fmt::format(", {}", named(what, one.*setting));
    names[1] += fmt::format(", {}", named(what, other.*setting));
    return;
  }
}

std::array<std::string, 2> different_names(const Scheme& one, const Scheme& other) {
  std::array<std::string, 2> out = {short_name(one), short_name(other)};
  if (out[0] != out[1]) return out;
  out = {describe(one.weights), describe(other.weights)};
  if (out[0] == out[1] && !one.weights.empty()) add_setting(one.weights.back(), other.weights.back(), out);
  return out;
}

static std::vector<std::string> format_changes(const TensorFormat& before, const TensorFormat& after) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view one, std::string_view other) {
    if (one != other) out.push_back(arrow(one, other));
  };
  add(type_text(before), type_text(after));
  add(granularity_text(before), granularity_text(after));
  add(symmetry_text(before), symmetry_text(after));
  add(time_text(before), time_text(after));
  add(named("type of scales", before.scale_type), named("type of scales", after.scale_type));
  add(named("type of zero points", before.zero_point), named("type of zero points", after.zero_point));
  add(named("observer", before.observer), named("observer", after.observer));
  add(named("order of columns", before.order), named("order of columns", after.order));
  add(before.tensor_scale ? "a tensor scale" : "no tensor scale",
      after.tensor_scale ? "a tensor scale" : "no tensor scale");
  return out;
}

static std::string tensor_changes(const std::vector<TensorFormat>& before, const std::vector<TensorFormat>& after) {
  if (before.size() == 1 && after.size() == 1) {
    return fmt::format("{}", fmt::join(format_changes(before.front(), after.front()), ", "));
  }
  const auto text = [](const std::vector<TensorFormat>& formats) {
    return formats.empty() ? std::string("not quantized") : describe(formats);
  };
  return fmt::format("{} -> {}", text(before), text(after));
}

std::string changes(const Scheme& before, const Scheme& after) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view tensor, const auto& one, const auto& other) {
    if (one != other) out.push_back(fmt::format("{} {}", tensor, tensor_changes(one, other)));
  };
  add("weights", before.weights, after.weights);
  add("inputs", before.inputs, after.inputs);
  add("outputs", before.outputs, after.outputs);
  if (before.storage != after.storage) {
    out.push_back(arrow(named("storage format", before.storage), named("storage format", after.storage)));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

}  // namespace sparsecfg::ir
