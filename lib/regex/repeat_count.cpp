#include "regex/escape.h"

#include <fmt/format.h>

#include <charconv>

namespace sparsecfg::regex {

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
  if (count.min > kMaxRepeats || (count.max > kMaxRepeats && !max.empty())) {
    scanner.fail(fmt::format("repeat count above {}", kMaxRepeats), begin - 1);
  } else if (count.min > count.max) {
    scanner.fail(fmt::format("minimum repeat count {} is greater than the maximum {}", count.min, count.max),
                 begin - 1);
  }
  return count;
}

std::optional<Width> read_count(Scanner& scanner, std::string_view token) {
  if (token == "*") return Width{0, kUnlimited};
  if (token == "+") return Width{1, kUnlimited};
  if (token == "?") return Width{0, 1};
  return read_braces(scanner);
}

}  // namespace sparsecfg::regex
