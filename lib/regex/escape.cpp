#include "regex/escape.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "base/text.h"

namespace sparsecfg::regex {

static char32_t number(std::string_view digits, int base) {
  std::uint32_t value = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return value;
}

static Escape bad_escape(Scanner& scanner, std::string_view token) {
  scanner.fail(fmt::format("bad escape `{}`", token), scanner.offset() - token.size());
  return {};
}

// Reads `\x41`, `\u0041` or `\U00000041` with exactly `wanted` digits.
static Escape hexadecimal(Scanner& scanner, std::string_view token, std::size_t wanted) {
  const std::size_t begin = scanner.offset() - token.size();
  const std::string_view digits = scanner.take_digits(16, wanted);
  const char32_t value = number(digits, 16);
  if (digits.size() < wanted) {
    scanner.fail(fmt::format("incomplete escape `{}{}`", token, digits), begin);
  } else if (value > 0x10FFFF) {
    scanner.fail(fmt::format("bad escape `{}{}`", token, digits), begin);
  }
  return {Escape::Kind::character, value};
}

static Escape octal(Scanner& scanner, const std::string& digits) {
  const char32_t value = number(digits, 8);
  if (value > 0377) {
    scanner.fail(fmt::format("octal escape `\\{}` is above `\\377`", digits), scanner.offset() - digits.size() - 1);
  }
  return {Escape::Kind::character, value};
}

// Three octal digits are a character; fewer digits are a group number.
static Escape octal_or_group(Scanner& scanner, char first) {
  std::string digits(1, first);
  digits += scanner.take_digits(10, 1);
  const bool both_octal = digits.size() == 2 && digits.find_first_of("89") == std::string::npos;
  const std::string_view third = both_octal ? scanner.take_digits(8, 1) : std::string_view{};
  return third.empty() ? Escape{Escape::Kind::group, number(digits, 10)} : octal(scanner, digits.append(third));
}

// Reads escapes that mean the same inside and outside sets.
static Escape common_escape(Scanner& scanner, std::string_view token) {
  constexpr std::string_view kControls = "a\af\fn\nr\rt\tv\v";
  const char letter = token[1];
  if (letter == 'x') return hexadecimal(scanner, token, 2);
  if (letter == 'u') return hexadecimal(scanner, token, 4);
  if (letter == 'U') return hexadecimal(scanner, token, 8);
  if (letter == 'N') {
    scanner.fail("named characters (`\\N{...}`) are not supported", scanner.offset() - token.size(), true);
    return {};
  }
  if (std::string_view("dDsSwW").find(letter) != std::string_view::npos) {
    return {Escape::Kind::category, static_cast<char32_t>(letter)};
  }
  if (!base::is_letter(letter)) {
    std::size_t at = 1;
    return {Escape::Kind::character, base::next_code_point(token, at)};
  }
  const std::size_t control = kControls.find(letter);
  if (control == std::string_view::npos) {
    return bad_escape(scanner, token);
  }
  return {Escape::Kind::character, static_cast<char32_t>(kControls[control + 1])};
}

Escape read_escape(Scanner& scanner, std::string_view token) {
  const char letter = token[1];
  if (letter == '0') {
    return octal(scanner, '0' + std::string(scanner.take_digits(8, 2)));
  }
  if (base::is_digit(letter)) {
    return octal_or_group(scanner, letter);
  }
  if (std::string_view("AbBZ").find(letter) != std::string_view::npos) {
    return {Escape::Kind::position, static_cast<char32_t>(letter)};
  }
  return common_escape(scanner, token);
}

Escape read_set_escape(Scanner& scanner, std::string_view token) {
  const char letter = token[1];
  if (letter == 'b') {
    return {Escape::Kind::character, U'\b'};
  }
  if (letter >= '0' && letter <= '7') {
    return octal(scanner, letter + std::string(scanner.take_digits(8, 2)));
  }
  return base::is_digit(letter) ? bad_escape(scanner, token) : common_escape(scanner, token);
}

}  // namespace sparsecfg::regex
