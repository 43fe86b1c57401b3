#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::base {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Without the ASCII white space around it.
[[nodiscard]] std::string_view trim(std::string_view text);
// Returns true if `word` is one of `words`.
[[nodiscard]] bool contains(std::span<const std::string_view> words, std::string_view word);

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);

// A sentence as it stands within another: without its first capital and the full stop.
[[nodiscard]] std::string as_clause(std::string_view sentence);

// What follows the last full stop of a file's name: "yaml"; empty where there is none.
[[nodiscard]] std::string_view ending_of(std::string_view name);

// Returns "1 step", "2 steps".
[[nodiscard]] std::string counted(std::size_t number, std::string_view noun);

// Returns "a, b and c".
[[nodiscard]] std::string join_and(const std::vector<std::string>& parts);

// One code point at `at`, which moves past it. A byte that starts no well-formed UTF-8 sequence
// is taken alone and answered with kNotUtf8.
inline constexpr char32_t kNotUtf8 = 0xFFFFFFFF;
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);

void append_utf8(std::string& out, char32_t code_point);

// Offset of the first byte that is not well-formed UTF-8; text.size() where all is.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

// Characters that change what a terminal or a reader sees without being seen: C0 and C1 controls
// (line feed and tab too), bidirectional controls, zero-width characters, the byte-order mark.
[[nodiscard]] bool is_unsafe(char32_t code_point);

// `text` fit for a terminal: unsafe characters as \x1b or \u202e, bytes that are no UTF-8 as
// U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

// The columns that a terminal gives to a printable character: none to a combining mark, two to an
// East Asian wide character or an emoji, one to any other.
[[nodiscard]] std::size_t display_width(char32_t code_point);

// The columns of a whole text that printable() has been over.
[[nodiscard]] std::size_t display_width(std::string_view text);

// What changes from one text to another as `diff -u` shows it, with three lines around each change.
// Empty where nothing changes.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace sparsecfg::base
