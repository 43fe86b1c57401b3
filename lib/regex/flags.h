#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regex/scanner.h"

namespace sparsecfg::regex {

// What Python's inline flags switch on: a, i, m, s and x. (`u` is the absence of `a`.)
struct Flags {
  bool ascii = false;
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
  bool verbose = false;
};

// The letters between `(?` and the `)` or `:` that ends them.
struct FlagChange {
  std::string on;
  std::string off;
  bool global = false;  // ended by `)`: for the whole pattern
};

// Returns true if the token can begin a change of flags.
[[nodiscard]] bool begins_flag_change(std::string_view token);

// Reads the change of which `first` is already taken, with its `)` or `:`; nullopt if Python
// refuses it, which the scanner then knows.
[[nodiscard]] std::optional<FlagChange> read_flag_change(Scanner& scanner, std::string_view first);

[[nodiscard]] Flags changed(Flags flags, const FlagChange& change);

// The flags as PCRE2 sets them, all others unset: `^ims`. Under `a` case is left to CharacterSet,
// since PCRE2 would fold more than ASCII.
[[nodiscard]] std::string pcre2_flags(const Flags& flags);

}  // namespace sparsecfg::regex
