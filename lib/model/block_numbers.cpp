#include "model/block_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::model {

constexpr std::size_t kMaxDigits = 6;

static std::string_view number_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && base::is_digit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Returns the numbers between a parenthesis and its end; none if there is anything else.
static std::vector<std::string> read_numbers(std::string_view inner) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= inner.size();) {
    const std::string_view number = number_at(inner, at);
    at += number.size();
    const bool ends = at == inner.size() || inner[at] == '|';
    if (number.empty() || number.size() > kMaxDigits || !ends) return {};
    out.emplace_back(number);
    ++at;
  }
  return out;
}

std::optional<BlockNumbers> numbers_in(std::string_view pattern) {
  for (const std::string_view before : {"layers\\.(", "layers.(", "layers[.](", "blocks\\.(", "blk\\.("}) {
    const std::size_t found = pattern.find(before);
    const std::size_t end = found == pattern.npos ? pattern.npos : pattern.find(')', found);
    if (end == pattern.npos) continue;
    const std::size_t begin = found + before.size() - 1;
    BlockNumbers out{begin, end + 1, read_numbers(pattern.substr(begin + 1, end - begin - 1))};
    if (out.numbers.size() > 1) return out;
  }
  return std::nullopt;
}

// Returns the highest number that is a whole part of a name and the first one.
static std::uint64_t last_block_of(const std::vector<std::string>& names) {
  std::uint64_t last = 0;
  for (const std::string& name : names) {
    for (std::size_t at = 0; at < name.size(); at = std::min(name.find('.', at), name.size() - 1) + 1) {
      const std::string_view number = number_at(name, at);
      const std::size_t end = at + number.size();
      if (number.empty() || number.size() > kMaxDigits || (end < name.size() && name[end] != '.')) continue;
      last = std::max<std::uint64_t>(last, std::stoull(std::string(number)));
      break;
    }
  }
  return last;
}

std::optional<MissingNumbers> missing_numbers(const std::string& pattern, const std::vector<std::string>& names,
                                              const std::function<bool(const std::string&)>& matches) {
  const auto group = numbers_in(pattern);
  if (!group) return std::nullopt;
  const auto with = [&](const std::string& numbers) {
    return fmt::format("{}({}){}", pattern.substr(0, group->begin), numbers, pattern.substr(group->end));
  };
  MissingNumbers out{{}, last_block_of(names), {}};
  std::vector<std::string> kept;
  std::uint64_t highest = 0;
  for (const std::string& number : group->numbers) {
    const std::uint64_t value = std::stoull(number);
    const bool missing = value > out.last_block;
    if (!missing && !matches(with(number))) return std::nullopt;
    (missing ? out.numbers : kept).push_back(number);
    highest = std::max(highest, value);
  }
  if (out.numbers.empty() || kept.empty()) return std::nullopt;
  for (const std::string& number : out.numbers) {
    const std::uint64_t back = std::min<std::uint64_t>(highest - std::stoull(number), out.last_block);
    const std::string meant = std::to_string(out.last_block - back);
    if (std::ranges::find(kept, meant) == kept.end()) kept.push_back(meant);
  }
  out.meant = with(fmt::format("{}", fmt::join(kept, "|")));
  return out;
}

}  // namespace sparsecfg::model
