#include "model/renamings.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::model {

bool Renaming::applies_to(std::string_view name) const {
  return from.empty() || (name.size() > from.size() && name.starts_with(from) && name[from.size()] == '.');
}

std::string Renaming::applied_to(std::string_view name) const {
  const std::string_view rest = from.empty() ? name : name.substr(from.size() + 1);
  return to.empty() ? std::string(rest) : fmt::format("{}.{}", to, rest);
}

std::string Renaming::help() const {
  return from.empty() ? fmt::format("put `{}.` before these names", to)
         : to.empty() ? fmt::format("delete `{}.` at the start of these names", from)
                      : fmt::format("begin these names with `{}` instead of `{}`", to, from);
}

// Returns the length of the longest common ending that consists of whole words.
static std::size_t common_ending(std::string_view one, std::string_view other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t length = 0;
  std::size_t whole = 0;
  while (length < most && one[one.size() - 1 - length] == other[other.size() - 1 - length]) {
    ++length;
    const auto begins = [&](std::string_view name) {
      return length == name.size() || name[name.size() - 1 - length] == '.';
    };
    if (begins(one) && begins(other)) whole = length;
  }
  return whole;
}

// Returns what is before an ending of a name, without the dot.
static std::string before_ending(std::string_view name, std::size_t ending) {
  return std::string(name.substr(0, name.size() - std::min(name.size(), ending + 1)));
}

// The longest common ending decides. It must be that of a single name, and have more than one word.
std::optional<Renaming> Renamings::search(std::string_view name) const {
  std::size_t longest = 0;
  std::size_t count = 0;
  std::string_view nearest;
  for (const std::string_view other : names_) {
    const std::size_t length = common_ending(name, other);
    if (length > longest) {
      longest = length;
      count = 0;
      nearest = other;
    }
    count += length == longest ? 1 : 0;
  }
  const bool several_words = name.substr(name.size() - longest).find('.') != std::string_view::npos;
  return count == 1 && several_words
             ? std::optional(Renaming{before_ending(name, longest), before_ending(nearest, longest)})
             : std::nullopt;
}

std::optional<Renaming> Renamings::of(std::string_view name) {
  for (const Renaming& each : found_) {
    if (each.applies_to(name) && knows(each.applied_to(name))) return each;
  }
  if (searches_left_ == 0) {
    return std::nullopt;
  }
  --searches_left_;
  auto found = search(name);
  if (found) found_.push_back(*found);
  return found;
}

const Renaming* Renamings::beginning_of(std::string_view name) const {
  const auto found =
      std::ranges::find_if(found_, [&](const Renaming& each) { return !each.from.empty() && each.applies_to(name); });
  return found == found_.end() ? nullptr : &*found;
}

const std::set<std::string_view>& Renamings::first_words() {
  if (!first_words_) {
    first_words_.emplace();
    for (const std::string_view name : names_) first_words_->insert(name.substr(0, name.find_first_of("./")));
  }
  return *first_words_;
}

bool Renamings::is_first_word(std::string_view word) { return first_words().contains(word); }

std::optional<std::string> Renamings::of_pattern(std::string_view pattern,
                                                 const std::function<bool(const std::string&)>& matches) {
  constexpr std::size_t kMaxWords = 8;
  const auto letter = std::ranges::find_if_not(pattern, base::is_name_letter);
  const std::string_view word = pattern.substr(0, static_cast<std::size_t>(letter - pattern.begin()));
  const std::string_view rest = pattern.substr(word.size());
  const bool dotted = rest.starts_with("\\.") || (rest.starts_with(".") && !rest.starts_with(".*"));
  if (word.empty() || !dotted || first_words().size() > kMaxWords || is_first_word(word)) {
    return std::nullopt;
  }
  std::vector<std::string> found;
  for (const std::string_view other : first_words()) {
    const std::string text = std::string(other).append(rest);
    if (matches(text)) found.push_back(text);
  }
  const std::string bare(rest.substr(rest.find('.') + 1));
  if (!bare.empty() && matches(bare)) found.push_back(bare);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

}  // namespace sparsecfg::model
