#include "diag/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#include "base/text.h"

namespace sparsecfg::diag {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::info: return "info";
  }
  return {};
}

// "missing_required" -> "missing-required"
template <std::size_t N>
static consteval std::array<char, N - 1> kebab(const char (&identifier)[N]) {
  std::array<char, N - 1> out{};
  for (std::size_t at = 0; at + 1 < N; ++at) {
    out[at] = identifier[at] == '_' ? '-' : identifier[at];
  }
  return out;
}

// Returns `text`. Does not compile if its placeholders do not match the argument types.
template <class... Args>
static consteval std::string_view checked(const Def<Args...>&, fmt::format_string<const Args&...>, const char* text) {
  return text;
}

// Values of the third column of a row. The prefix `silent_`, as in `silent_error`, means that the framework runs a
// recipe with this error and silently drops part of it. A `fact` is an info that is true of many good recipes.
struct Level {
  Severity severity;
  bool silent_loss = false;
  bool fact = false;
};

namespace level {
constexpr Level error{Severity::error};
constexpr Level warning{Severity::warning};
constexpr Level info{Severity::info};
constexpr Level fact{Severity::info, false, true};
constexpr Level silent_error{Severity::error, true};
constexpr Level silent_warning{Severity::warning, true};
}  // namespace level

#define DIAGNOSTIC(CODE, NAME, SEVERITY, ARGS, MESSAGE, EXPLANATION, HELP)             \
  static constexpr auto NAME##_name = kebab(#NAME);                                    \
  constexpr Info NAME##_info{#CODE,                                                    \
                             std::string_view(NAME##_name.data(), NAME##_name.size()), \
                             level::SEVERITY.severity,                                 \
                             level::SEVERITY.silent_loss,                              \
                             level::SEVERITY.fact,                                     \
                             checked(NAME, MESSAGE, MESSAGE),                          \
                             EXPLANATION,                                              \
                             checked(NAME, HELP, HELP)};
#include "diag/catalog/all.def"
#undef DIAGNOSTIC

static constexpr auto kCatalog = [] {
  auto rows = std::to_array<const Info*>({
#define DIAGNOSTIC(CODE, NAME, SEVERITY, ARGS, MESSAGE, EXPLANATION, HELP) &NAME##_info,
#include "diag/catalog/all.def"
#undef DIAGNOSTIC
  });
  std::ranges::sort(rows, {}, &Info::code);
  return rows;
}();

static_assert(std::ranges::adjacent_find(kCatalog, {}, &Info::code) == kCatalog.end(), "each code must be unique");

std::span<const Info* const> catalog() { return kCatalog; }

const Info* find(std::string_view code_or_name) {
  const std::string code = base::to_upper(code_or_name);
  const std::string name = base::to_lower(code_or_name);
  const auto* const* found =
      std::ranges::find_if(kCatalog, [&](const Info* info) { return info->code == code || info->name == name; });
  return found == kCatalog.end() ? nullptr : *found;
}

static constexpr Family kFamilies[] = {
    {"SP0", "input", "Files, encodings, YAML syntax, limits and settings."},
    {"SP1", "schema", "Names of classes, fields and keys, and the types of their values."},
    {"SP2", "epochs", "Starts, ends and the length of the training."},
    {"SP3", "schedule", "Update frequencies, policies and what happens at each step."},
    {"SP4", "sparsity", "Sparsity levels, masks and ramps."},
    {"SP5", "learning rate", "Learning rates and their schedulers."},
    {"SP6", "selectors", "Names, patterns and types that select parameters or modules."},
    {"SP7", "order", "Modifiers that depend on each other or disturb each other."},
    {"SP8", "quantization", "Bit widths, schemes, observers and quantizers."},
    {"SP9", "variables", "Recipe variables and expressions."},
    {"DP", "deprecations", "Classes and fields that are deprecated or were removed."},
    {"MD", "model", "Selectors and shapes, compared with the names of a model."},
    {"PT", "portability", "Conversions to other dialects."},
    {"LC", "llm-compressor", "Recipes of llm-compressor."},
    {"AX", "ai8x", "Policies and schedules of ai8x-training."},
    {"CT", "compressed-tensors", "The `quantization_config` in `config.json`, its readers and the weights."},
};

std::span<const Family> families() { return kFamilies; }

const Family* family_of(std::string_view code) {
  const auto* found =
      std::ranges::find_if(kFamilies, [&](const Family& each) { return code.starts_with(each.prefix); });
  return found == std::end(kFamilies) ? nullptr : found;
}

}  // namespace sparsecfg::diag
