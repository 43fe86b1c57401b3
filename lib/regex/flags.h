#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regex/scanner.h"

namespace sparsecfg::regex {

// Python's inline flags a, i, m, s and x. (`u` is the absence of `a`.)
struct Flags {
  bool ascii = false;
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
  bool verbose = false;
};

// The letters between `(?` and the closing `)` or `:`.
struct FlagChange {
  std::string on;
  std::string off;
  bool global = false;  // ended by `)`: applies to the whole pattern
};

// Returns true if the token can start a flag change.
[[nodiscard]] bool begins_flag_change(std::string_view token);

// Reads the flag change that starts with `first`, already consumed, including its `)` or `:`. Returns nullopt and sets
// the scanner's error if Python rejects it.
[[nodiscard]] std::optional<FlagChange> read_flag_change(Scanner& scanner, std::string_view first);

[[nodiscard]] Flags changed(Flags flags, const FlagChange& change);

// Returns the flags in PCRE2 syntax with all others unset: `^ims`. With `a`, CharacterSet handles case, because PCRE2
// would fold non-ASCII letters.
[[nodiscard]] std::string pcre2_flags(const Flags& flags);

}  // namespace sparsecfg::regex
