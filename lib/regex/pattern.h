#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sparsecfg::regex {

// Why Python's re.compile would raise, in our words, and where in the pattern (a byte offset).
struct SyntaxError {
  std::string message;
  std::uint32_t offset = 0;
  bool unsupported = false;  // true if Python may well compile it, and only this matcher can't
};

enum class Match : std::uint8_t {
  yes,
  no,
  gave_up,  // the match budget of the pattern is spent: never to be taken for "no"
};

// How the framework calls `re`: SparseML and NNI by match (bound to the start, open at the end),
// others by fullmatch.
enum class Anchoring : std::uint8_t { start, both };

// A pattern of Python's `re`, compiled. Not shared between threads: matching spends its budget.
class Pattern {
 public:
  // Refuses what Python's re refuses, with Python's meaning of what both know (`\Z`, `$`, classes).
  [[nodiscard]] static std::variant<Pattern, SyntaxError> compile(std::string_view python_pattern, Anchoring anchoring);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  [[nodiscard]] Match match(std::string_view subject) const;

 private:
  struct Impl;
  explicit Pattern(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What is wrong with a pattern that Python's re refuses; nullopt if it can be compiled. Most patterns are so plain that
// they need not be compiled to tell that.
[[nodiscard]] std::optional<SyntaxError> syntax_error_of(std::string_view python_pattern);

// Rewrites a pattern of Python's `re` (3.11, text patterns) for PCRE2, with UTF and UCP on, such
// that it means there what it means to Python. Groups keep their numbers and lose their names.
// Refuses what Python's re.compile refuses, and what no selector needs: more than 16 KiB, groups
// nested over 100 deep, repeats beyond 65535, characters by name.
[[nodiscard]] std::variant<std::string, SyntaxError> translate(std::string_view python_pattern);

// Returns true if Python, which goes back and tries again, could take more than a low power of a name's
// length to see that the pattern fits none of it: repeats in repeats, alternatives in repeats, many
// repeats in a row, and everything that is not regular. A no is certain.
[[nodiscard]] bool may_backtrack(std::string_view python_pattern);

}  // namespace sparsecfg::regex
