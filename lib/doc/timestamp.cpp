#include "doc/construct_parts.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "base/text.h"
#include "doc/scalar_type.h"

namespace sparsecfg::doc {

// Reads the digits at `at` (at least one) and advances past them.
static unsigned take_number(std::string_view text, std::size_t& at) {
  unsigned number = 0;
  for (; at < text.size() && base::is_digit(text[at]); ++at) {
    number = number * 10 + static_cast<unsigned>(text[at] - '0');
  }
  return number;
}

// Python keeps the first six digits of a fraction.
static unsigned take_microseconds(std::string_view text, std::size_t& at) {
  unsigned number = 0;
  std::size_t digits = 0;
  for (; at < text.size() && base::is_digit(text[at]); ++at, ++digits) {
    number = digits < 6 ? number * 10 + static_cast<unsigned>(text[at] - '0') : number;
  }
  for (; digits < 6; ++digits) {
    number *= 10;
  }
  return number;
}

// Returns the offset of the zone from UTC in minutes. Python accepts offsets of less than a day.
static std::optional<int> take_zone(std::string_view text, std::size_t at) {
  const bool west = text[at] == '-';
  if (text[at] == 'Z') {
    return 0;
  }
  ++at;
  int minutes = static_cast<int>(take_number(text, at)) * 60;
  if (at < text.size() && text[at] == ':') {
    ++at;
    minutes += static_cast<int>(take_number(text, at));
  }
  if (minutes >= 24 * 60) {
    return std::nullopt;
  }
  return west ? -minutes : minutes;
}

static std::optional<std::string> time_identity(std::string_view text, std::size_t at, std::chrono::sys_days day) {
  at = text.find_first_of("0123456789", at);
  const unsigned hour = take_number(text, at);
  const unsigned minute = take_number(text, ++at);
  const unsigned second = take_number(text, ++at);
  unsigned microseconds = 0;
  if (at < text.size() && text[at] == '.') {
    microseconds = take_microseconds(text, ++at);
  }
  if (hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  const long long local =
      static_cast<long long>(day.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 + second;
  at = text.find_first_not_of(" \t", at);
  if (at == std::string_view::npos) {
    return fmt::format("local {}.{:06}", local, microseconds);
  }
  const auto zone = take_zone(text, at);
  if (!zone) {
    return std::nullopt;
  }
  return fmt::format("utc {}.{:06}", local - *zone * 60, microseconds);
}

std::optional<std::string> timestamp_identity(std::string_view text) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (!is_timestamp_form(text)) {
    return std::nullopt;
  }
  std::size_t at = 0;
  const auto year = static_cast<int>(take_number(text, at));
  const unsigned month = take_number(text, ++at);
  const unsigned day = take_number(text, ++at);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok() || year == 0) {
    return std::nullopt;
  }
  if (at == text.size()) {
    return fmt::format("date {}-{}-{}", year, month, day);
  }
  return time_identity(text, at, date);
}

}  // namespace sparsecfg::doc
