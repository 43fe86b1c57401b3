#include "regex/alternatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::regex {

namespace {

std::string_view common_ending(std::span<const std::string> words) {
  std::string_view out = words.front();
  for (const std::string& word : words) {
    while (!word.ends_with(out)) out.remove_prefix(1);
  }
  return out;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Returns the words in a class or group: the letters of `[qk]`, or the parts of `(?:q|k)`. Empty for other text.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> out;
  if (text.starts_with('[')) {
    for (const char c : text.substr(1, text.size() - 2)) out.emplace_back(1, c);
    return out;
  }
  std::string_view inner = text.substr(1, text.size() - 2);
  if (inner.starts_with("?:")) inner.remove_prefix(2);
  for (const std::string_view part : base::parts_of(inner, '|')) out.emplace_back(part);
  return out;
}

// Returns a class for single letters, and a group for other words.
std::string listed(const std::vector<std::string>& words, std::string_view like) {
  const bool letters = std::ranges::all_of(words, [](const std::string& word) { return word.size() == 1; });
  if (like.starts_with('[') && letters) return fmt::format("[{}]", fmt::join(words, ""));
  return fmt::format("{}{})", like.starts_with("(?:") ? "(?:" : "(", fmt::join(words, "|"));
}

// Adds the missing words to each class and group that lists one of them.
void replace_lists(std::string_view pattern, const std::vector<std::string>& words, std::vector<std::string>& out) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '[' && pattern[at] != '(') continue;
    const std::size_t end = pattern.find(pattern[at] == '[' ? ']' : ')', at);
    if (end == std::string_view::npos) return;
    const std::string_view text = pattern.substr(at, end - at + 1);
    std::vector<std::string> given = words_in(text);
    if (std::ranges::none_of(given, [&](const std::string& word) { return contains(words, word); })) continue;
    for (const std::string& word : words) {
      if (!contains(given, word)) given.push_back(word);
    }
    out.push_back(fmt::format("{}{}{}", pattern.substr(0, at), listed(given, text), pattern.substr(end + 1)));
  }
}

}  // namespace

std::vector<std::string> with_alternatives(std::string_view pattern, std::span<const std::string> all) {
  std::vector<std::string> out;
  if (all.size() < 2) return out;
  const std::string_view ending = common_ending(all);
  std::vector<std::string> stems;
  for (const std::string& word : all) stems.push_back(word.substr(0, word.size() - ending.size()));
  if (contains(stems, "")) return out;
  replace_lists(pattern, stems, out);
  replace_lists(pattern, {all.begin(), all.end()}, out);
  for (const std::string& word : all) {
    const std::size_t at = pattern.find(word);
    const bool inside = at != std::string_view::npos && at > 0 && base::is_name_letter(pattern[at - 1]);
    if (at == std::string_view::npos || inside) continue;
    out.push_back(fmt::format("{}({}){}{}", pattern.substr(0, at), fmt::join(stems, "|"), ending,
                              pattern.substr(at + word.size())));
  }
  return out;
}

}  // namespace sparsecfg::regex
