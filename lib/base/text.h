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

// Returns true for an ASCII letter, a digit or `_`, the characters of names between dots.
[[nodiscard]] constexpr bool is_name_letter(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Removes ASCII white space from both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
// Returns true if `word` is one of `words`.
[[nodiscard]] bool contains(std::span<const std::string_view> words, std::string_view word);

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);

// Converts a sentence to a clause: first letter in lower case, no final period.
[[nodiscard]] std::string as_clause(std::string_view sentence);

// Returns the file name extension without its period, such as "yaml", or an empty string.
[[nodiscard]] std::string_view ending_of(std::string_view name);

// Returns the part of a dotted name after its last dot, or the whole name without a dot.
[[nodiscard]] constexpr std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// Returns the parts between separators. A text without a separator is one part, also if it is empty.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text, char separator);

// Returns the lines without their line feeds. A line feed at the end of the text starts no line.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// Converts a path to a URI reference: percent-encoded, without a leading `./`, absolute paths prefixed with `file://`.
[[nodiscard]] std::string uri_of(std::string_view path);

// Returns "1 step", "2 steps".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

// Returns "a, b and c".
[[nodiscard]] std::string join_and(const std::vector<std::string>& parts);

// Decodes the code point at `at` and advances `at`. Returns kNotUtf8 and advances by one byte at invalid UTF-8.
inline constexpr char32_t kNotUtf8 = 0xFFFFFFFF;
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);

void append_utf8(std::string& out, char32_t code_point);

// Returns the offset of the first byte that is not valid UTF-8, or text.size() if all bytes are valid.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

// Returns true for invisible characters that affect a terminal or a reader: C0 and C1 controls (including line feed and
// tab), bidirectional controls, zero-width characters, the byte-order mark.
[[nodiscard]] bool is_unsafe(char32_t code_point);

// Makes `text` safe for a terminal: unsafe characters become \x1b or \u202e, invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

// Returns the terminal columns of a printable character: 0 for a combining mark, 2 for an East Asian wide character or
// an emoji, 1 otherwise.
[[nodiscard]] std::size_t display_width(char32_t code_point);

// Returns the terminal columns of a string that printable() has processed.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Returns the changes in the format of `diff -u`, with three lines of context. Returns an empty string if `before`
// equals `after`.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

// Returns the regular expression for a glob: `layer*.conv?` is `layer.*\.conv.`. Returns an empty string if the string
// is not clearly a glob: if it lacks `*`, or has other syntax of regular expressions, such as `conv.*`.
[[nodiscard]] std::string regex_of_glob(std::string_view text);

// Returns the regular expression that a string without the prefix `re:` means: itself if it is one, or that of a glob.
// A glob ends where it does not end with `*`.
[[nodiscard]] std::string pattern_meant_by(std::string_view text);

}  // namespace sparsecfg::base
