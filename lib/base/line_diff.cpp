#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparsecfg::base {

constexpr std::size_t kAround = 3;
// With more line pairs than this, the middle part is reported as one change.
constexpr std::size_t kMaxPairs = 4'000'000;

using Lines = std::vector<std::string_view>;

static Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// One line of the result. The mark is ' ', '-' or '+'.
struct Edit {
  char sign;
  std::string_view line;
};

class Differ {
 public:
  Differ(std::string_view before, std::string_view after) : before_(split(before)), after_(split(after)) {}

  std::vector<Edit> run() {
    const auto [a, b] = std::ranges::mismatch(before_, after_);
    const auto head = static_cast<std::size_t>(a - before_.begin());
    std::size_t tail = 0;
    while (tail < before_.size() - head && tail < after_.size() - head &&
           before_[before_.size() - 1 - tail] == after_[after_.size() - 1 - tail]) {
      ++tail;
    }
    for (std::size_t at = 0; at < head; ++at) edits_.push_back({' ', before_[at]});
    add_middle(head, before_.size() - tail, after_.size() - tail);
    for (std::size_t at = before_.size() - tail; at < before_.size(); ++at) edits_.push_back({' ', before_[at]});
    return std::move(edits_);
  }

 private:
  // Uses a table of the longest common subsequence of every pair of suffixes.
  void add_middle(std::size_t begin, std::size_t end, std::size_t other_end) {
    const std::size_t rows = end - begin;
    const std::size_t columns = other_end - begin;
    const bool small = rows * columns <= kMaxPairs;
    std::vector<std::uint32_t> common(small ? (rows + 1) * (columns + 1) : 0);
    const auto length = [&](std::size_t row, std::size_t column) -> std::uint32_t& {
      return common[row * (columns + 1) + column];
    };
    for (std::size_t row = small ? rows : 0; row-- > 0;) {
      for (std::size_t column = columns; column-- > 0;) {
        length(row, column) = before_[begin + row] == after_[begin + column]
                                  ? length(row + 1, column + 1) + 1
                                  : std::max(length(row + 1, column), length(row, column + 1));
      }
    }
    std::size_t row = 0;
    std::size_t column = 0;
    while (row < rows || column < columns) {
      const bool both = small && row < rows && column < columns;
      if (both && before_[begin + row] == after_[begin + column]) {
        edits_.push_back({' ', before_[begin + row++]});
        ++column;
      } else if (row < rows && (!both || length(row + 1, column) >= length(row, column + 1))) {
        edits_.push_back({'-', before_[begin + row++]});
      } else {
        edits_.push_back({'+', after_[begin + column++]});
      }
    }
  }

  Lines before_;
  Lines after_;
  std::vector<Edit> edits_;
};

// Makes a line printable, but keeps its line end and its tabs.
static void append_printable(std::string_view line, std::string& out) {
  const std::size_t end = line.find_last_not_of("\r\n") + 1;
  for (std::string_view rest = line.substr(0, end); !rest.empty();) {
    const std::size_t tab = std::min(rest.find('\t'), rest.size());
    out += printable(rest.substr(0, tab));
    out += rest.substr(tab, 1);
    rest.remove_prefix(std::min(tab + 1, rest.size()));
  }
  out += line.substr(end);
}

// Returns one hunk: a range of changes with the context lines around it.
static std::string hunk(const std::vector<Edit>& edits, std::size_t begin, std::size_t end, std::size_t line,
                        std::size_t other_line) {
  std::string text;
  std::size_t lines = 0;
  std::size_t other_lines = 0;
  for (std::size_t at = begin; at < end; ++at) {
    lines += edits[at].sign != '+' ? 1 : 0;
    other_lines += edits[at].sign != '-' ? 1 : 0;
    text += edits[at].sign;
    append_printable(edits[at].line, text);
    if (!edits[at].line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{},{} +{},{} @@\n", line + (lines > 0 ? 1 : 0), lines, other_line + (other_lines > 0 ? 1 : 0),
                     other_lines) +
         text;
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  const std::vector<Edit> edits = Differ(before, after).run();
  std::string out;
  std::size_t line = 0;
  std::size_t other_line = 0;
  std::size_t shown = 0;  // the two line counters include the edits before this one
  const auto count = [&](std::size_t until) {
    for (; shown < until; ++shown) {
      line += edits[shown].sign != '+' ? 1 : 0;
      other_line += edits[shown].sign != '-' ? 1 : 0;
    }
  };
  for (std::size_t at = 0; at < edits.size(); ++at) {
    if (edits[at].sign == ' ') {
      continue;
    }
    const std::size_t begin = std::max(at >= kAround ? at - kAround : 0, shown);
    std::size_t end = at + 1;
    for (std::size_t next = end; next < edits.size() && next < end + 2 * kAround; ++next) {
      if (edits[next].sign != ' ') end = next + 1;
    }
    const std::size_t last = std::min(end + kAround, edits.size());
    count(begin);
    out += hunk(edits, begin, last, line, other_line);
    count(last);
    at = last - 1;
  }
  return out.empty() ? out : fmt::format("--- {0}\n+++ {0}\n", printable(name)) + out;
}

}  // namespace sparsecfg::base
