#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace sparsecfg::regex {

// Why Python's re.compile would raise, in our words, and where in the pattern (a byte offset).
struct SyntaxError {
  std::string message;
  std::uint32_t offset = 0;
  bool unsupported = false;  // whether Python may well compile it, and only this matcher can't
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

}  // namespace sparsecfg::regex
