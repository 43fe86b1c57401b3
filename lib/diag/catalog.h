#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sparsecfg::diag {

// error: the framework refuses the file, crashes on it later or silently drops a part of it.
// warning: it runs, but very likely not as meant. info: worth knowing.
enum class Severity { error, warning, info };

[[nodiscard]] std::string_view to_string(Severity severity);

// The properties of a diagnostic that all its occurrences share. Codes and names are permanent; a code is
// never used for something else.
struct Info {
  std::string_view code;         // "SP104"
  std::string_view name;         // "wrong-type"
  Severity severity;             // what it is unless a report says otherwise
  bool silent_loss;              // the framework runs such a recipe without a part of it; else it refuses it or stops
  std::string_view message;      // the text with {} for what varies
  std::string_view explanation;  // what it means, why it matters, what to do
  std::string_view help;  // what to write, with {} and {0} as in the message, unless a report has a help of its own
};

// A diagnostic with the types of its message's arguments: a report with too few, too many or
// unprintable arguments does not compile. catalog.cpp checks each message against these types.
template <class... Args>
struct Def {
  const Info& info;
};

using Text = std::string_view;

// One constant for each row of the catalogue, diag::missing_required for SP103. The texts are compiled once, in
// catalog.cpp. The third column is a severity; with `silent_` before it, as in `silent_error`, the framework runs a
// recipe with this fault and silently drops a part of it.
#define SPARSECFG_UNWRAP(...) __VA_ARGS__
#define DIAGNOSTIC(CODE, NAME, SEVERITY, ARGS, MESSAGE, EXPLANATION, HELP) \
  extern const Info NAME##_info;                                           \
  inline constexpr Def<SPARSECFG_UNWRAP ARGS> NAME{NAME##_info};
#include "diag/catalog/all.def"
#undef DIAGNOSTIC

// Every row, ordered by code.
[[nodiscard]] std::span<const Info* const> catalog();

// By code or by name, letter case ignored; null where there is none.
[[nodiscard]] const Info* find(std::string_view code_or_name);

}  // namespace sparsecfg::diag
