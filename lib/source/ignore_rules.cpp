#include "source/ignore_rules.h"
#include "base/limits.h"

#include <algorithm>
#include <span>

namespace sparsecfg::source {

static std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Matches `c` against the class `[...]` at `at`, and moves `at` after it. Returns false for an unclosed class.
static bool matches_class(std::string_view pattern, std::size_t& at, char c) {
  std::size_t next = at + 1;
  const bool negated = next < pattern.size() && (pattern[next] == '!' || pattern[next] == '^');
  next += negated ? 1 : 0;
  bool found = false;
  for (bool first = true; next < pattern.size() && (first || pattern[next] != ']'); first = false) {
    const char low = pattern[next++];
    char high = low;
    if (next + 1 < pattern.size() && pattern[next] == '-' && pattern[next + 1] != ']') {
      high = pattern[next + 1];
      next += 2;
    }
    found |= low <= c && c <= high;
  }
  if (next >= pattern.size()) {
    return false;
  }
  at = next + 1;
  return found != negated;
}

// Matches one character against the item at `at`, which is not `*`, and moves `at` after it.
static bool matches_item(std::string_view pattern, std::size_t& at, char c) {
  if (at >= pattern.size()) return false;
  if (pattern[at] == '[') return matches_class(pattern, at, c);
  if (pattern[at] == '\\' && at + 1 < pattern.size())
    ++at;
  else if (pattern[at] == '?')
    return ++at, true;
  return pattern[at++] == c;
}

// Returns true if a pattern of `pattern_size` items matches all `name_size` parts of a name. `is_star(at)` returns true
// for items that match any number of parts. `match(at, done)` matches another item to one part and moves `at` after the
// item. Backtracks only to the last star, so the time is at most the product of the sizes.
static bool matches_with_stars(std::size_t pattern_size, std::size_t name_size, auto is_star, auto match) {
  std::size_t at = 0;
  std::size_t done = 0;
  std::optional<std::size_t> star;
  std::size_t star_done = 0;
  while (done < name_size) {
    if (at < pattern_size && is_star(at)) {
      star = ++at;
      star_done = done;
    } else if (match(at, done)) {
      ++done;
    } else if (!star) {
      return false;
    } else {
      at = *star;
      done = ++star_done;
    }
  }
  while (at < pattern_size && is_star(at)) ++at;
  return at == pattern_size;
}

// Returns true if a glob without slashes matches a name.
static bool matches_glob(std::string_view pattern, std::string_view name) {
  return matches_with_stars(
      pattern.size(), name.size(), [&](std::size_t at) { return pattern[at] == '*'; },
      [&](std::size_t& at, std::size_t done) { return matches_item(pattern, at, name[done]); });
}

// Matches whole paths, where `**` means any number of folders.
static bool matches_path(std::span<const std::string> pattern, std::span<const std::string> path) {
  return matches_with_stars(
      pattern.size(), path.size(), [&](std::size_t at) { return pattern[at] == "**"; },
      [&](std::size_t& at, std::size_t done) {
        return at < pattern.size() && matches_glob(pattern[at++], path[done]);
      });
}

IgnoreRules::IgnoreRules(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('#')) add(line);
  }
}

void IgnoreRules::add(std::string_view pattern) {
  while (pattern.ends_with(' ') && !pattern.ends_with("\\ ")) pattern.remove_suffix(1);
  Rule rule;
  rule.negated = pattern.starts_with('!');
  pattern.remove_prefix(rule.negated ? 1 : 0);
  rule.folders_only = pattern.ends_with('/');
  rule.anchored = std::min(pattern.find('/'), pattern.size()) + 1 < pattern.size();
  rule.segments = split_path(pattern);
  if (!rule.segments.empty()) {
    // A trailing `**` requires at least one name.
    if (rule.segments.back() == "**") rule.segments.insert(rule.segments.end() - 1, "*");
    index(rule);
    rules_.push_back(std::move(rule));
  }
}

static std::string join(const std::vector<std::string>& segments) {
  std::string out;
  for (const std::string& each : segments) out += (out.empty() ? "" : "/") + each;
  return out;
}

void IgnoreRules::index(const Rule& rule) {
  const auto is_glob = [](const std::string& each) { return each.find_first_of("*?[\\") != std::string::npos; };
  if (std::ranges::any_of(rule.segments, is_glob)) {
    if (globs_.size() < limits::kMaxGlobs) globs_.push_back(rules_.size());
    return;
  }
  Plain& plain = rule.anchored ? paths_[join(rule.segments)] : names_[rule.segments.front()];
  (rule.folders_only ? plain.folder : plain.any) = rules_.size();
}

// Returns the last plain rule that matches, counted from 1; 0 if none does.
std::size_t IgnoreRules::find_plain(const std::vector<std::string>& segments, bool is_folder) const {
  std::size_t last = 0;
  const auto add = [&](const auto& rules, const std::string& key) {
    const auto found = rules.find(key);
    if (found == rules.end()) return;
    last = std::max(last, found->second.any + 1);
    if (is_folder) last = std::max(last, found->second.folder + 1);
  };
  if (!names_.empty()) add(names_, segments.back());
  if (!paths_.empty()) add(paths_, join(segments));
  return last;
}

std::optional<bool> IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const std::vector<std::string> segments = split_path(path);
  if (segments.empty()) {
    return std::nullopt;
  }
  const std::size_t plain = find_plain(segments, is_folder);
  for (auto glob = globs_.rbegin(); glob != globs_.rend() && *glob >= plain; ++glob) {
    const Rule& rule = rules_[*glob];
    if (rule.folders_only && !is_folder) continue;
    const bool matches =
        rule.anchored ? matches_path(rule.segments, segments) : matches_glob(rule.segments.front(), segments.back());
    if (matches) return !rule.negated;
  }
  return plain == 0 ? std::nullopt : std::optional(!rules_[plain - 1].negated);
}

bool IgnoreRules::ignores_file(std::string_view path) const {
  for (std::size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (ignores(path.substr(0, slash), true).value_or(false)) return true;
  }
  return ignores(path, false).value_or(false);
}

}  // namespace sparsecfg::source
