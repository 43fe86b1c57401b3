#include "dialect/ai8x/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace sparsecfg::dialect::ai8x {

using Names = std::vector<std::string>;

static bool is_literal(char letter) { return base::is_name_letter(letter) || letter == '.'; }

static std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

namespace {

class Expansion {
 public:
  Expansion(std::string_view pattern, std::size_t most) : rest_(pattern), most_(most) {}

  std::optional<Names> whole() {
    auto names = choice();
    return rest_.empty() ? names : std::nullopt;
  }

 private:
  std::optional<Names> choice() {
    auto out = sequence();
    while (out && rest_.starts_with('|')) {
      rest_.remove_prefix(1);
      const auto next = sequence();
      if (!next || out->size() + next->size() > most_) return std::nullopt;
      out->insert(out->end(), next->begin(), next->end());
    }
    return out;
  }

  std::optional<Names> sequence() {
    Names out{""};
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const auto next = part();
      if (!next || next->empty() || out.size() * next->size() > most_) return std::nullopt;
      out = product(out, *next);
    }
    return out;
  }

  static Names product(const Names& firsts, const Names& seconds) {
    Names out;
    for (const std::string& first : firsts) {
      for (const std::string& second : seconds) out.push_back(first + second);
    }
    return out;
  }

  std::optional<Names> part() {
    const char first = rest_.front();
    rest_.remove_prefix(1);
    if (first == '(') return group();
    if (first == '[') return letters();
    if (first == '\\' && rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      return Names{"."};
    }
    // A dot before a quantifier is no literal.
    const bool repeated = !rest_.empty() && std::string_view("*+?{").find(rest_.front()) != std::string_view::npos;
    return is_literal(first) && !repeated ? std::optional(Names{std::string(1, first)}) : std::nullopt;
  }

  std::optional<Names> group() {
    if (rest_.starts_with("?:")) rest_.remove_prefix(2);
    auto out = choice();
    if (!rest_.starts_with(')')) return std::nullopt;
    rest_.remove_prefix(1);
    return out;
  }

  std::optional<Names> letters() {
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    const std::size_t dash = text.find('-');
    const bool range = dash != std::string_view::npos;
    const auto from = range ? number_in(text.substr(0, dash)) : std::nullopt;
    const auto to = range ? number_in(text.substr(dash + 1)) : std::nullopt;
    if (range) return from && to ? numbers(*from, *to) : std::nullopt;
    Names out;
    for (const char letter : text) out.emplace_back(1, letter);
    return std::ranges::all_of(text, is_literal) ? std::optional(out) : std::nullopt;
  }

  std::optional<Names> numbers(unsigned from, unsigned to) const {
    if (from > to || to - from >= most_) return std::nullopt;
    Names out;
    for (unsigned number = from; number <= to; ++number) out.push_back(fmt::format("{}", number));
    return out;
  }

  std::string_view rest_;
  std::size_t most_;
};

}  // namespace

std::vector<std::string> alternatives_of(std::string_view pattern, std::size_t most) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  if (pattern.ends_with('$')) pattern.remove_suffix(1);
  constexpr std::size_t kMaxLength = 200;
  if (pattern.size() > kMaxLength) return {};
  return Expansion(pattern, most).whole().value_or(Names());
}

}  // namespace sparsecfg::dialect::ai8x
