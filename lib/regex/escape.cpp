#include "regex/escape.h"

#include <fmt/format.h>

#include <algorithm>
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

constexpr std::size_t kMaxLength = 16384;
constexpr std::uint64_t kMaxRepeats = 65535;  // limit of PCRE2

static std::uint64_t repeat_number(std::string_view digits, std::uint64_t otherwise) {
  if (digits.empty()) {
    return otherwise;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : kUnlimited;
}

static std::optional<Width> read_braces(Scanner& scanner) {
  const std::size_t begin = scanner.offset();
  const std::string_view min = scanner.take_digits(10, kMaxLength);
  const bool comma = scanner.take_if(",");
  const std::string_view max = comma ? scanner.take_digits(10, kMaxLength) : min;
  if ((min.empty() && !comma) || !scanner.take_if("}")) {
    scanner.go_back(begin);
    return std::nullopt;
  }
  const Width count{repeat_number(min, 0), repeat_number(max, kUnlimited)};
  if (count.min >= kUnlimited || (count.max >= kUnlimited && !max.empty())) {
    scanner.fail("the repeat count is too large", begin - 1);
  } else if (count.min > count.max) {
    scanner.fail(fmt::format("minimum repeat count {} is greater than the maximum {}", count.min, count.max),
                 begin - 1);
  }
  // No name is so long that the difference matters.
  return Width{std::min(count.min, kMaxRepeats), count.max > kMaxRepeats ? kUnlimited : count.max};
}

std::optional<Width> read_count(Scanner& scanner, std::string_view token) {
  if (token == "*") return Width{0, kUnlimited};
  if (token == "+") return Width{1, kUnlimited};
  if (token == "?") return Width{0, 1};
  return read_braces(scanner);
}

static Escape read_character(Scanner& scanner) {
  const std::string_view token = scanner.take();
  if (token.front() == '\\') {
    return read_set_escape(scanner, token);
  }
  std::size_t at = 0;
  return {Escape::Kind::character, base::next_code_point(token, at)};
}

static SetMember member(const Escape& escape) {
  if (escape.kind == Escape::Kind::category) {
    return {0, 0, static_cast<char>(escape.value)};
  }
  return {escape.value, escape.value, 0};
}

// Reads a character, a category or a range. A hyphen before the closing bracket is a character.
static void read_member(Scanner& scanner, std::vector<SetMember>& members) {
  const std::size_t begin = scanner.offset();
  const Escape first = read_character(scanner);
  members.push_back(member(first));
  if (!scanner.take_if("-")) {
    return;
  }
  if (scanner.at_end() || scanner.peek() == "]") {
    members.push_back({U'-', U'-', 0});
    return;
  }
  const Escape last = read_character(scanner);
  const bool characters = first.kind == Escape::Kind::character && last.kind == Escape::Kind::character;
  if (characters && first.value <= last.value) {
    members.back().last = last.value;
  } else {
    scanner.fail(fmt::format("bad character range `{}`", scanner.since(begin)), begin);
  }
}

SetText read_set(Scanner& scanner) {
  const std::size_t open = scanner.offset() - 1;
  SetText text{scanner.take_if("^"), {}};
  do {
    if (scanner.at_end()) {
      scanner.fail("unterminated character set", open);
    } else {
      read_member(scanner, text.members);
    }
  } while (!scanner.error() && !scanner.take_if("]"));
  return text;
}

}  // namespace sparsecfg::regex
