#include "match/matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/text.h"

namespace sparsecfg::match {

namespace {

// A group with its name split at dots.
struct Item {
  std::vector<std::string> parts;
  NameGroup group;
  std::size_t first = 0;  // index of its first name
};

}  // namespace

static std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    out.emplace_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

static std::optional<std::uint64_t> whole_number(const std::string& part) {
  std::uint64_t number = 0;
  const char* end = part.data() + part.size();
  const bool plain =
      !part.empty() && (part.size() == 1 || part.front() != '0') && std::ranges::all_of(part, base::is_digit);
  return plain && std::from_chars(part.data(), end, number).ec == std::errc() ? std::optional(number) : std::nullopt;
}

// "{0..31}", "{0,2..5}"
static std::string range_text(std::vector<std::uint64_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  std::vector<std::string> runs;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(end - at == 1 ? fmt::format("{}", numbers[at])
                                 : fmt::format("{}..{}", numbers[at], numbers[end - 1]));
    at = end;
  }
  return fmt::format("{{{}}}", fmt::join(runs, ","));
}

static void add_to(Item& item, const Item& other) {
  item.group.count += other.group.count;
  if (item.group.shape != other.group.shape) item.group.shape.clear();
}

// --- numbers ----------------------------------------------------------------------------------------

// Joins items that differ only in a number at `place`.
static std::vector<Item> joined_at(std::size_t place, std::vector<Item> items) {
  std::vector<Item> out;
  std::vector<std::vector<std::uint64_t>> numbers;
  std::unordered_map<std::string, std::size_t> places;
  for (Item& item : items) {
    const auto number = place < item.parts.size() ? whole_number(item.parts[place]) : std::nullopt;
    std::string key = item.group.answer;
    for (std::size_t at = 0; at < item.parts.size(); ++at) key += "\n" + (number && at == place ? "#" : item.parts[at]);
    const auto [found, fresh] = places.emplace(std::move(key), out.size());
    if (fresh || !number) {
      out.push_back(std::move(item));
      numbers.emplace_back();
    } else {
      add_to(out[found->second], item);
    }
    if (number) numbers[found->second].push_back(*number);
  }
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (numbers[at].size() > 1) out[at].parts[place] = range_text(std::move(numbers[at]));
  }
  return out;
}

static std::vector<Item> with_joined_numbers(std::vector<Item> items) {
  std::size_t longest = 0;
  for (const Item& item : items) longest = std::max(longest, item.parts.size());
  for (std::size_t place = longest; place-- > 0;) items = joined_at(place, std::move(items));
  return items;
}

// --- prefixes ---------------------------------------------------------------------------------------

static std::string prefix_of(const Item& item, std::size_t length) {
  return fmt::format("{}",
                     fmt::join(item.parts.begin(), item.parts.begin() + static_cast<std::ptrdiff_t>(length), "."));
}

// The items below a prefix: their number and their common answer.
struct Below {
  std::size_t count = 0;
  const std::string* answer = nullptr;  // null: the answers differ
};

using Prefixes = std::unordered_map<std::string, Below>;

static Prefixes prefixes_of(const std::vector<Item>& items) {
  Prefixes below;
  for (const Item& item : items) {
    for (std::size_t length = 1; length < item.parts.size(); ++length) {
      Below& each = below[prefix_of(item, length)];
      each.answer = each.count == 0 || (each.answer != nullptr && *each.answer == item.group.answer)
                        ? &item.group.answer
                        : nullptr;
      ++each.count;
    }
  }
  return below;
}

// Returns the length of the shortest prefix that several items share, all with one answer. Returns the length of the
// whole name if there is none.
static std::size_t joined_length(const Item& item, const Prefixes& below) {
  std::size_t length = 1;
  for (; length < item.parts.size(); ++length) {
    const Below& each = below.at(prefix_of(item, length));
    if (each.answer != nullptr && each.count > 1) break;
  }
  return length;
}

// Shortens a name to the parts that it has in common with another name.
static void keep_common(std::vector<std::string>& parts, const std::vector<std::string>& other) {
  const auto differs = std::ranges::mismatch(parts, other);
  parts.erase(differs.in1, parts.end());
}

// Joins all items below the shortest prefix with one answer into one item, which is named after the longest prefix that
// they share: numbers may have joined other names below the shortest one with those of other blocks.
static std::vector<Item> with_joined_prefixes(std::vector<Item> items) {
  const Prefixes below = prefixes_of(items);
  std::vector<std::size_t> lengths;
  for (const Item& item : items) lengths.push_back(joined_length(item, below));
  std::vector<Item> out;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> joined;
  for (std::size_t at = 0; at < items.size(); ++at) {
    Item& item = items[at];
    if (lengths[at] >= item.parts.size()) {
      out.push_back(std::move(item));
      continue;
    }
    const auto [found, fresh] = places.emplace(prefix_of(item, lengths[at]), out.size());
    if (fresh) {
      joined.push_back(out.size());
      out.push_back(std::move(item));
    } else {
      add_to(out[found->second], item);
      keep_common(out[found->second].parts, item.parts);
    }
  }
  for (const std::size_t at : joined) out[at].parts.emplace_back("*");
  return out;
}

std::vector<NameGroup> grouped(const std::vector<NameGroup>& names) {
  std::vector<Item> items;
  for (std::size_t at = 0; at < names.size(); ++at) items.push_back({parts_of(names[at].name), names[at], at});
  items = with_joined_prefixes(with_joined_numbers(std::move(items)));
  std::ranges::stable_sort(items, {}, &Item::first);
  std::vector<NameGroup> out;
  for (Item& item : items) {
    item.group.name = prefix_of(item, item.parts.size());
    out.push_back(std::move(item.group));
  }
  return out;
}

}  // namespace sparsecfg::match
