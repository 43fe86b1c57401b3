#include "model/selectors/comparison.h"

#include <cstddef>
#include <vector>

#include "regex/literal.h"

namespace sparsecfg::selectors {

bool matches_at(How how, std::string_view text, std::string_view name, std::size_t begin) {
  const std::size_t end = begin + text.size();
  const bool at_start = begin == 0;
  const bool at_end = end == name.size();
  const bool starts_part = at_start || name[begin - 1] == '.';
  const bool ends_part = at_end || name[end] == '.';
  switch (how) {
    case How::exact: return at_start && at_end;
    case How::prefix: return at_start;
    case How::prefix_of_parts: return at_start && ends_part;
    case How::suffix: return at_end;
    case How::suffix_of_parts: return at_end && starts_part;
    case How::substring: return true;
    case How::part: return starts_part && ends_part && text.find('.') == text.npos;
    case How::parts: return starts_part && ends_part;
    case How::match:
    case How::search:
    case How::fullmatch:
    case How::glob:
    case How::name_inside_entry:
    case How::always: break;
  }
  return false;
}

static std::string pattern_of_literal(How how, std::string_view text) {
  const std::string literal = regex::literal(text);
  switch (how) {
    case How::prefix: return literal + ".*";
    case How::prefix_of_parts: return literal + R"((?:\..*)?)";
    case How::suffix: return ".*" + literal;
    case How::suffix_of_parts: return R"((?:.*\.)?)" + literal;
    case How::substring: return ".*" + literal + ".*";
    case How::part:
      if (text.find('.') != text.npos) return "(?!)";
      [[fallthrough]];
    case How::parts: return R"((?:.*\.)?)" + literal + R"((?:\..*)?)";
    default: return literal;
  }
}

// Returns the flags for the whole pattern at its start: `(?ix)`.
static std::string_view global_flags(std::string_view pattern) {
  constexpr std::string_view kLetters = "aiLmsux";
  if (!pattern.starts_with("(?")) return {};
  const std::size_t end = pattern.find_first_not_of(kLetters, 2);
  return end == pattern.npos || end == 2 || pattern[end] != ')' ? std::string_view() : pattern.substr(0, end + 1);
}

std::string searched(std::string_view pattern, std::string_view before) {
  const std::string_view flags = global_flags(pattern);
  // A comment of a verbose pattern ends with its line.
  const std::string_view end = flags.find('x') == flags.npos ? ")" : "\n)";
  return std::string(flags) + std::string(before) + "(?:" + std::string(pattern.substr(flags.size())) +
         std::string(end);
}

AnchoredPattern pattern_of(How how, std::string_view text) {
  switch (how) {
    case How::match: return {std::string(text), regex::Anchoring::start};
    case How::search: return {searched(text), regex::Anchoring::start};
    case How::fullmatch: return {std::string(text), regex::Anchoring::both};
    case How::glob: return {pattern_of_glob(text), regex::Anchoring::both};
    case How::always: return {"", regex::Anchoring::start};
    default: return {pattern_of_literal(how, text), regex::Anchoring::both};
  }
}

// --- globs ------------------------------------------------------------------------------------------

// Splits the inside of `[...]` at the hyphens that form ranges. A hyphen at either end is literal.
static std::vector<std::string> range_ends(std::string_view inside) {
  std::vector<std::string> chunks;
  std::size_t begin = 0;
  for (std::size_t at = inside.starts_with('!') ? 2 : 1;; at += 3) {
    at = inside.find('-', at);
    if (at == inside.npos) break;
    chunks.emplace_back(inside.substr(begin, at - begin));
    begin = at + 1;
  }
  if (begin < inside.size()) {
    chunks.emplace_back(inside.substr(begin));
  } else {
    chunks.back() += '-';
  }
  return chunks;
}

// fnmatch drops ranges whose ends are in the wrong order.
static void drop_empty_ranges(std::vector<std::string>& chunks) {
  for (std::size_t at = chunks.size() - 1; at > 0; --at) {
    std::string& before = chunks[at - 1];
    if (static_cast<unsigned char>(before.back()) <= static_cast<unsigned char>(chunks[at].front())) continue;
    before.pop_back();
    before += chunks[at].substr(1);
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

static std::string escaped(std::string_view text, std::string_view specials) {
  std::string out;
  for (const char c : text) {
    if (specials.find(c) != specials.npos) out += '\\';
    out += c;
  }
  return out;
}

static std::string set_members(std::string_view inside) {
  if (inside.find('-') == inside.npos) return escaped(inside, "\\&~|");
  std::vector<std::string> chunks = range_ends(inside);
  drop_empty_ranges(chunks);
  std::string out;
  for (const std::string& chunk : chunks) out += (out.empty() ? "" : "-") + escaped(chunk, "\\-&~|");
  return out;
}

static std::string set_of(std::string_view inside) {
  std::string members = set_members(inside);
  if (members.empty()) return "(?!)";
  if (members == "!") return ".";
  if (members.front() == '!') {
    members.front() = '^';
  } else if (members.front() == '^' || members.front() == '[') {
    members.insert(0, "\\");
  }
  return "[" + members + "]";
}

// Returns the offset of the `]` that ends a set, whose content starts at `begin`; npos if it is missing.
static std::size_t end_of_set(std::string_view glob, std::size_t begin) {
  std::size_t at = begin;
  if (at < glob.size() && glob[at] == '!') ++at;
  if (at < glob.size() && glob[at] == ']') ++at;
  return glob.find(']', at);
}

std::string pattern_of_glob(std::string_view glob) {
  std::string out = "(?s:";
  for (std::size_t at = 0; at < glob.size(); ++at) {
    const char c = glob[at];
    const std::size_t end = c == '[' ? end_of_set(glob, at + 1) : glob.npos;
    if (c == '*') {
      if (!out.ends_with(".*")) out += ".*";
    } else if (c == '?') {
      out += '.';
    } else if (end != glob.npos) {
      out += set_of(glob.substr(at + 1, end - at - 1));
      at = end;
    } else {
      out += regex::literal(glob.substr(at, 1));
    }
  }
  return out + ")";
}

// --- ECMAScript -------------------------------------------------------------------------------------

// Returns true if a token of two or three characters at the start of `rest` exists only in Python.
static bool starts_with_python_token(std::string_view rest, bool after_backslash) {
  if (rest.starts_with("\\A") || rest.starts_with("\\Z")) return true;
  if (rest.starts_with("(?")) return rest.size() < 3 || std::string_view("=!:").find(rest[2]) == rest.npos;
  const bool repeats = rest.starts_with('*') || rest.starts_with('+') || rest.starts_with('?');
  return !after_backslash && repeats && rest.substr(1).starts_with('+');
}

bool is_rejected_by_ecmascript(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (starts_with_python_token(pattern.substr(at), at > 0 && pattern[at - 1] == '\\')) return true;
  }
  return false;
}

}  // namespace sparsecfg::selectors
