#pragma once

#include <fmt/core.h>

#include <array>
#include <cstddef>

#include "diag/catalog.h"

// Defines a rule of the catalog, usually next to the function that checks it.
//
//   DIAGNOSTIC(code, name, severity, (types of the message's arguments), message, explanation, help)
//
// `name` is the kebab-case name with underscores instead of hyphens, and the name of the constant in `diag` to report
// it with. A message names the subject and the problem in at most 14 words, begins in lower case, omits the final
// period and puts code in backticks. An explanation states what the framework does and why it matters, in one to four
// sentences. A help is an imperative without a final period and can use the arguments of the message, as in `{1}`. A
// report replaces it with a more specific help if it can.
//
// The row starts a line in a named namespace. tools/declare_rules.cpp finds it there, adds it to the catalog and writes
// its declaration: to dialect/<name>/codes.h for a rule of a dialect, else to diag/rules.h, which diag/catalog.h
// includes. A message or help with other placeholders than argument types does not compile.
namespace sparsecfg::diag {

// "missing_required" -> "missing-required"
template <std::size_t N>
consteval std::array<char, N - 1> kebab(const char (&identifier)[N]) {
  std::array<char, N - 1> out{};
  for (std::size_t at = 0; at + 1 < N; ++at) {
    out[at] = identifier[at] == '_' ? '-' : identifier[at];
  }
  return out;
}

// Returns `text`. Does not compile if its placeholders do not match the argument types.
template <class... Args>
consteval std::string_view checked(const Def<Args...>&, fmt::format_string<const Args&...>, const char* text) {
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
inline constexpr Level error{Severity::error};
inline constexpr Level warning{Severity::warning};
inline constexpr Level info{Severity::info};
inline constexpr Level fact{Severity::info, false, true};
inline constexpr Level silent_error{Severity::error, true};
inline constexpr Level silent_warning{Severity::warning, true};
}  // namespace level

}  // namespace sparsecfg::diag

#define DIAGNOSTIC(CODE, NAME, LEVEL, ARGS, MESSAGE, EXPLANATION, HELP)                                                \
  static constexpr auto NAME##_name = ::sparsecfg::diag::kebab(#NAME);                                                 \
  constexpr ::sparsecfg::diag::Info NAME##_info{#CODE,                                                                 \
                                                std::string_view(NAME##_name.data(), NAME##_name.size()),              \
                                                ::sparsecfg::diag::level::LEVEL.severity,                              \
                                                ::sparsecfg::diag::level::LEVEL.silent_loss,                           \
                                                ::sparsecfg::diag::level::LEVEL.fact,                                  \
                                                ::sparsecfg::diag::checked(::sparsecfg::diag::NAME, MESSAGE, MESSAGE), \
                                                EXPLANATION,                                                           \
                                                ::sparsecfg::diag::checked(::sparsecfg::diag::NAME, HELP, HELP)};
