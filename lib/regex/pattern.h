#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sparsecfg::regex {

// The reason why Python's re.compile would raise, and its byte offset in the pattern.
struct SyntaxError {
  std::string message;
  std::uint32_t offset = 0;
  bool unsupported = false;  // true if Python may accept it and only this matcher can't
};

enum class Match : std::uint8_t {
  yes,
  no,
  gave_up,  // the match budget of the pattern is exhausted; must not be treated as `no`
};

// How the framework calls `re`. SparseML and NNI use match (anchored at the start, open at the end), others use
// fullmatch.
enum class Anchoring : std::uint8_t { start, both };

// A compiled Python `re` pattern. Not thread-safe: matching consumes its budget.
class Pattern {
 public:
  // Rejects patterns that Python's re rejects. Constructs that differ in PCRE2 (`\Z`, `$`, classes) keep Python's
  // meaning.
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

// Returns the error if Python's re rejects a pattern; nullopt if it compiles. Most patterns are simple enough to be
// accepted without compiling them.
[[nodiscard]] std::optional<SyntaxError> syntax_error_of(std::string_view python_pattern);

// Translates a Python `re` pattern (3.11, str patterns) to PCRE2 with UTF and UCP, keeping its meaning. Groups keep
// their numbers but not their names. Rejects patterns that re.compile rejects, and some that no selector needs: more
// than 16 KiB, groups nested over 100 levels deep, named characters. Repeats above 65535 match like 65535 or more.
[[nodiscard]] std::variant<std::string, SyntaxError> translate(std::string_view python_pattern);

// Returns true if backtracking in Python could need more than a low power of a name's length to reject it. This is
// possible with nested repeats, alternatives in repeats, many consecutive repeats, and non-regular constructs. False is
// certain.
[[nodiscard]] bool may_backtrack(std::string_view python_pattern);

// Returns the longest text that every match of a pattern is known to contain. Empty if there is none, for patterns that
// are not regular, and if may_backtrack(), so that the time that Python takes is still noticed.
[[nodiscard]] std::string required_text(std::string_view python_pattern);

// Returns the time for a name that a pattern does not match, relative to a pattern with a required text.
[[nodiscard]] std::size_t match_cost(std::string_view python_pattern);

// A string that a pattern matches, found without a search.
struct Sample {
  std::string text;
  bool open = true;  // any text may follow: the pattern is anchored only at the start
};

// Returns a string that a Python `re` pattern matches from its start. `wild` replaces a possibly empty repeat of any
// character. Nullopt proves nothing: it is returned for look-around, positions between characters, sets without a
// letter, digit, `_` or `.`, and long strings.
[[nodiscard]] std::optional<Sample> sample_of(std::string_view python_pattern, std::string_view wild);

}  // namespace sparsecfg::regex
