#include "model/selectors/fixed_patterns.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"

namespace sparsecfg::selectors {

constexpr unsigned char kAnyLetter = 0;  // of an edge; no name contains it

// Returns the letters of a pattern, with kAnyLetter for dots; nullopt if it has other constructs.
static std::optional<std::string> letters_of(std::string_view pattern) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '.') {
      out += static_cast<char>(kAnyLetter);
    } else if (c == '\\' && at + 1 < pattern.size() && pattern[at + 1] == '.') {
      out += pattern[++at];
    } else if (base::is_name_letter(c)) {
      out += c;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

// `.*` at the end of a pattern matches anything, also the end of the name.
static std::string_view without_rest(std::string_view pattern, bool& whole) {
  if (!pattern.ends_with(".*") || pattern.ends_with("\\.*")) return pattern;
  whole = false;
  return pattern.substr(0, pattern.size() - 2);
}

bool FixedPatterns::add(std::string_view pattern, bool whole, std::uint32_t entry) {
  const auto letters = letters_of(without_rest(pattern, whole));
  if (!letters) return false;
  std::uint32_t node = 0;
  for (const char letter : *letters) {
    const auto byte = static_cast<unsigned char>(letter);
    std::uint32_t next = edges_.find(node, byte);
    if (next == kNone) {
      next = static_cast<std::uint32_t>(first_end_.size());
      edges_.add(node, byte, next);
      first_end_.push_back(kNone);
    }
    node = next;
  }
  ends_.push_back({node, entry, whole, std::exchange(first_end_[node], static_cast<std::uint32_t>(ends_.size()))});
  return true;
}

void FixedPatterns::add_ends(std::uint32_t node, bool at_end, std::vector<std::uint32_t>& out) const {
  for (std::uint32_t at = first_end_[node]; at != kNone; at = ends_[at].next) {
    if (at_end || !ends_[at].whole) out.push_back(ends_[at].entry);
  }
}

bool FixedPatterns::find(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const {
  if (ends_.empty()) return true;
  std::vector<std::uint32_t> nodes = {0};
  std::vector<std::uint32_t> next;
  add_ends(0, name.empty(), out);
  for (std::size_t at = 0; at < name.size() && !nodes.empty();) {
    const std::size_t begin = at;
    (void)base::next_code_point(name, at);
    const bool usable = at == begin + 1 && name[begin] != '\n';
    const std::size_t before = out.size();
    next.clear();
    for (const std::uint32_t node : nodes) {
      const std::uint32_t same = usable ? edges_.find(node, static_cast<unsigned char>(name[begin])) : kNone;
      const std::uint32_t any = name[begin] == '\n' ? kNone : edges_.find(node, kAnyLetter);
      for (const std::uint32_t found : {same, any}) {
        if (found == kNone) continue;
        next.push_back(found);
        add_ends(found, at == name.size(), out);
      }
    }
    if (!budget.spend(2 * nodes.size() + out.size() - before)) return false;
    nodes.swap(next);
  }
  return true;
}

}  // namespace sparsecfg::selectors
