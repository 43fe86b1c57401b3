#include "regex/flags.h"

#include <fmt/format.h>

namespace sparsecfg::regex {

constexpr std::string_view kFlags = "aiLmsux";
constexpr std::string_view kTypes = "aLu";

static bool is_one_of(std::string_view token, std::string_view letters) {
  return token.size() == 1 && letters.find(token) != std::string_view::npos;
}

bool begins_flag_change(std::string_view token) { return token == "-" || is_one_of(token, kFlags); }

// Reads flag letters from `token` on. Stores the first token that is not a letter in `token`.
static std::string letters(Scanner& scanner, std::string_view& token) {
  std::string matched;
  while (is_one_of(token, kFlags)) {
    matched += token;
    token = scanner.take();
  }
  return matched;
}

// Returns the error that Python raises for the letters; empty if none.
static std::string_view fault(const FlagChange& change) {
  const auto on = [&](char letter) { return change.on.find(letter) != std::string::npos; };
  if (on('L')) {
    return "the flag `L` is for byte patterns only";
  }
  if (on('a') && on('u')) {
    return "the flags `a` and `u` can't be combined";
  }
  if (change.off.find_first_of(kTypes) != std::string::npos) {
    return "the flags `a`, `L` and `u` can't be turned off";
  }
  if (change.on.find_first_of(change.off) != std::string::npos) {
    return "a flag is turned on and off at the same time";
  }
  return {};
}

std::optional<FlagChange> read_flag_change(Scanner& scanner, std::string_view first) {
  const std::size_t begin = scanner.offset() - first.size();
  std::string_view token = first;
  FlagChange change;
  change.on = letters(scanner, token);
  const bool switches_off = token == "-";
  if (switches_off) {
    token = scanner.take();
    change.off = letters(scanner, token);
  }
  change.global = token == ")" && !switches_off;
  if (!change.global && (token != ":" || (switches_off && change.off.empty()))) {
    scanner.fail(token.empty() ? "unterminated flags" : fmt::format("unknown flag `{}`", token), begin);
  } else if (const std::string_view wrong = fault(change); !wrong.empty()) {
    scanner.fail(std::string(wrong), begin);
  } else {
    return change;
  }
  return std::nullopt;
}

Flags changed(Flags flags, const FlagChange& change) {
  const auto apply = [&](std::string_view letters, bool value) {
    for (const char letter : letters) {
      if (letter == 'a') flags.ascii = value;
      if (letter == 'u') flags.ascii = !value;
      if (letter == 'i') flags.ignore_case = value;
      if (letter == 'm') flags.multi_line = value;
      if (letter == 's') flags.dot_all = value;
      if (letter == 'x') flags.verbose = value;
    }
  };
  apply(change.on, true);
  apply(change.off, false);
  return flags;
}

std::string pcre2_flags(const Flags& flags) {
  std::string letters = "^";
  letters += flags.ignore_case && !flags.ascii ? "i" : "";
  letters += flags.multi_line ? "m" : "";
  letters += flags.dot_all ? "s" : "";
  return letters;
}

}  // namespace sparsecfg::regex
