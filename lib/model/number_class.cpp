#include "model/number_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace sparsecfg::model {

constexpr std::size_t kMaxDigitsOfClass = 4;

static std::string_view digits_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && base::is_digit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Reads the numbers and ranges of a class; none if it contains anything else or only single digits.
static std::vector<NumberClass::Range> read_ranges(std::string_view inner) {
  std::vector<NumberClass::Range> out;
  bool several_digits = false;
  for (std::size_t at = 0; at < inner.size();) {
    const std::string_view low = digits_at(inner, at);
    at += low.size();
    const bool range = at < inner.size() && inner[at] == '-';
    const std::string_view high = range ? digits_at(inner, ++at) : low;
    at += range ? high.size() : 0;
    const bool ends = at == inner.size() || inner[at] == ',' || inner[at] == '|';
    if (low.empty() || high.empty() || std::max(low.size(), high.size()) > kMaxDigitsOfClass || !ends) return {};
    out.emplace_back(std::stoul(std::string(low)), std::stoul(std::string(high)));
    if (out.back().first > out.back().second) return {};
    several_digits = several_digits || high.size() > 1;
    while (at < inner.size() && (inner[at] == ',' || inner[at] == '|' || inner[at] == ' ')) ++at;
  }
  const bool plain = out.size() == 1 && out.front().first == out.front().second;  // `[12]` lists digits
  return several_digits && !plain ? out : std::vector<NumberClass::Range>();
}

// Returns the end of a quantifier that starts at an offset.
static std::size_t end_of_quantifier(std::string_view pattern, std::size_t at) {
  if (at < pattern.size() && pattern[at] == '{') at = std::min(pattern.find('}', at), pattern.size() - 1) + 1;
  while (at < pattern.size() && std::string_view("+*?").find(pattern[at]) != std::string_view::npos) ++at;
  return at;
}

// Returns true if a text around a class is another digit of the same number.
static bool continues_number(std::string_view before, std::string_view after) {
  const bool left = !before.empty() && (base::is_digit(before.back()) || before.back() == ']' || before.back() == ')' ||
                                        before.back() == '?' || before.ends_with("\\d"));
  const bool right = !after.empty() && (base::is_digit(after.front()) || after.front() == '[');
  return left || right || after.starts_with("\\d");
}

std::optional<NumberClass> number_class_in(std::string_view pattern) {
  for (std::size_t begin = pattern.find('['); begin != pattern.npos; begin = pattern.find('[', begin + 1)) {
    const std::size_t end = pattern.find(']', begin);
    if (end == pattern.npos) return std::nullopt;
    if (begin > 0 && pattern[begin - 1] == '\\') continue;
    NumberClass out{begin, end_of_quantifier(pattern, end + 1), std::string(pattern.substr(begin, end + 1 - begin)),
                    read_ranges(pattern.substr(begin + 1, end - begin - 1))};
    const bool part = continues_number(pattern.substr(0, begin), pattern.substr(out.end));
    if (!out.numbers.empty() && !part) return out;
  }
  return std::nullopt;
}

std::vector<std::string> NumberClass::digits() const {
  std::set<std::string> out;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (!base::is_digit(text[at])) continue;
    const bool range = text[at + 1] == '-' && at + 2 < text.size() && base::is_digit(text[at + 2]);
    const char last = range ? text[at + 2] : text[at];
    for (char digit = text[at]; digit <= last; ++digit) out.emplace(1, digit);
    at += range ? 2 : 0;
  }
  return {out.begin(), out.end()};
}

std::string NumberClass::words() const {
  std::vector<std::string> out;
  for (const auto& [low, high] : numbers)
    out.push_back(low == high ? std::to_string(low) : fmt::format("{} to {}", low, high));
  return base::join_and(out);
}

bool NumberClass::contains(std::uint64_t number) const {
  return std::ranges::any_of(numbers,
                             [&](const Range& range) { return range.first <= number && number <= range.second; });
}

// Collects the patterns of numbers from `low` to `high`, which have equally many digits, after the text `before`.
static void add_patterns(const std::string& low, const std::string& high, const std::string& before,
                         std::string_view any, std::vector<std::string>& out) {
  if (low.empty()) return out.push_back(before);
  if (low[0] == high[0]) return add_patterns(low.substr(1), high.substr(1), before + low[0], any, out);
  const std::size_t rest = low.size() - 1;
  const bool starts_later = low.find_first_not_of('0', 1) != low.npos;
  const bool ends_earlier = high.find_first_not_of('9', 1) != high.npos;
  const char first = starts_later ? static_cast<char>(low[0] + 1) : low[0];
  const char last = ends_earlier ? static_cast<char>(high[0] - 1) : high[0];
  if (starts_later) add_patterns(low, low[0] + std::string(rest, '9'), before, any, out);
  if (first <= last) {
    std::string text = first == last                 ? std::string(1, first)
                       : first == '0' && last == '9' ? std::string(any)
                                                     : fmt::format("[{}-{}]", first, last);
    for (std::size_t at = 0; at < rest; ++at) text += any;
    out.push_back(before + text);
  }
  if (ends_earlier) add_patterns(high[0] + std::string(rest, '0'), high, before, any, out);
}

std::vector<std::string> NumberClass::alternatives(std::string_view any) const {
  std::vector<std::string> out;
  for (const auto& [low, high] : numbers) {
    std::string from = std::to_string(low);
    const std::string to = std::to_string(high);
    for (; from.size() < to.size(); from = "1" + std::string(from.size(), '0'))
      add_patterns(from, std::string(from.size(), '9'), "", any, out);
    add_patterns(from, to, "", any, out);
  }
  return out;
}

std::vector<std::string> patterns_for(const NumberClass& numbers, std::string_view pattern, PatternUse use) {
  const bool whole = use == PatternUse::whole;
  const std::string start = fmt::format("{}({}{})", pattern.substr(0, numbers.begin), whole ? "?:" : "",
                                        fmt::join(numbers.alternatives("\\d"), "|"));
  const std::string_view rest = pattern.substr(numbers.end);
  std::vector<std::string> out{start + std::string(rest)};
  const bool any_text = rest.empty() ? !whole : rest.starts_with(".*") || rest.starts_with(".+");
  if (any_text || rest.starts_with('.')) out.push_back(fmt::format("{}\\.{}", start, any_text ? rest : rest.substr(1)));
  return out;
}

bool is_intended(const NumberClass& numbers, std::string_view pattern, std::string_view name) {
  std::string_view before = pattern.substr(0, numbers.begin);
  while (!before.empty() && !base::is_name_letter(before.back())) before.remove_suffix(1);
  std::size_t begin = before.size();
  while (begin > 0 && base::is_letter(before[begin - 1])) --begin;
  const std::string_view word = before.substr(begin);
  for (std::size_t at = name.find(word); !word.empty() && at != name.npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const std::string_view number = digits_at(name, end + (name.substr(end).starts_with('.') ? 1 : 0));
    if (!number.empty() && number.size() <= kMaxDigitsOfClass) return numbers.contains(std::stoul(std::string(number)));
  }
  return true;
}

}  // namespace sparsecfg::model
