#include "model/selectors/pieces.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sparsecfg::selectors {

static bool is_plain_letter(char c) { return base::is_name_letter(c) || c == '-' || c == '/'; }

namespace {

// Collects pieces from left to right.
class Collector {
 public:
  explicit Collector(bool at_start) { out_.at_start = at_start; }

  void add(char letter) {
    piece_ += letter;
    gap_ = false;
  }

  // Any text follows.
  void add_gap() {
    end_piece();
    if (out_.parts.empty()) out_.at_start = false;
    gap_ = true;
  }

  Pieces take(bool at_end) {
    end_piece();
    out_.at_end = at_end && !gap_;
    return std::move(out_);
  }

 private:
  void end_piece() {
    if (!piece_.empty()) out_.parts.push_back(std::exchange(piece_, {}));
  }

  Pieces out_;
  std::string piece_;
  bool gap_ = false;
};

}  // namespace

// Removes a dot with its repeat from the front of a regular expression. Returns false for other repeats than of any
// number.
static bool take_dot(std::string_view& rest, Collector& out) {
  rest.remove_prefix(1);
  const bool repeated = rest.starts_with('*') || rest.starts_with('+');
  if (!rest.starts_with('*')) out.add(Pieces::kAnyLetter);
  if (!repeated) return true;
  out.add_gap();
  rest.remove_prefix(1);
  if (rest.starts_with('?')) rest.remove_prefix(1);  // the shortest text: the same names match
  return true;
}

static std::optional<Pieces> pieces_of_regex(std::string_view rest, bool at_start, bool at_end) {
  if (rest.starts_with('^')) {
    at_start = true;
    rest.remove_prefix(1);
  }
  Collector out(at_start);
  while (!rest.empty()) {
    const bool escaped = rest.size() > 1 && rest.front() == '\\' && (rest[1] == '.' || rest[1] == '-');
    if (escaped || is_plain_letter(rest.front())) {
      out.add(escaped ? rest[1] : rest.front());
      rest.remove_prefix(escaped ? 2 : 1);
    } else if (rest.front() == '.') {
      if (!take_dot(rest, out)) return std::nullopt;
    } else if (rest == "$") {
      at_end = true;
      rest = {};
    } else {
      return std::nullopt;  // also a repeat of a letter
    }
  }
  return out.take(at_end);
}

static std::optional<Pieces> pieces_of_glob(std::string_view glob) {
  if (glob.find('[') != glob.npos || glob.find(Pieces::kAnyLetter) != glob.npos) return std::nullopt;
  Collector out(true);
  for (const char c : glob) {
    if (c == '*') {
      out.add_gap();
    } else {
      out.add(c == '?' ? Pieces::kAnyLetter : c);
    }
  }
  return out.take(true);
}

std::optional<Pieces> pieces_of(How how, std::string_view text) {
  switch (how) {
    case How::glob: return pieces_of_glob(text);
    case How::match: return pieces_of_regex(text, true, false);
    case How::search: return pieces_of_regex(text, false, false);
    case How::fullmatch: return pieces_of_regex(text, true, true);
    default: return std::nullopt;
  }
}

bool is_plain_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c != '\n' && static_cast<unsigned char>(c) < 0x80; });
}

// --- matching ---------------------------------------------------------------------------------------

static bool matches_at(std::string_view piece, std::string_view name, std::size_t begin) {
  if (begin > name.size() || name.size() - begin < piece.size()) return false;
  for (std::size_t at = 0; at < piece.size(); ++at) {
    if (piece[at] != Pieces::kAnyLetter && piece[at] != name[begin + at]) return false;
  }
  return true;
}

static std::size_t find_piece(std::string_view piece, std::string_view name, std::size_t begin) {
  if (piece.front() != Pieces::kAnyLetter && piece.find(Pieces::kAnyLetter) == piece.npos)
    return name.find(piece, begin);
  while (begin + piece.size() <= name.size() && !matches_at(piece, name, begin)) ++begin;
  return begin + piece.size() <= name.size() ? begin : name.npos;
}

// The leftmost place of each piece leaves the most room for the others.
bool Pieces::match(std::string_view name) const {
  if (parts.empty()) return !at_start || !at_end || name.empty();
  std::size_t from = 0;
  std::size_t first = 0;
  std::size_t last = parts.size();
  if (at_start) {
    if (!matches_at(parts.front(), name, 0)) return false;
    from = parts.front().size();
    first = 1;
    if (last == 1) return !at_end || from == name.size();
  }
  if (at_end) --last;
  for (std::size_t at = first; at < last; ++at) {
    from = find_piece(parts[at], name, from);
    if (from == name.npos) return false;
    from += parts[at].size();
  }
  if (!at_end) return true;
  const std::string& end = parts.back();
  return name.size() >= from + end.size() && selectors::matches_at(end, name, name.size() - end.size());
}

std::string_view Pieces::required_text() const {
  std::string_view longest;
  for (std::string_view rest : parts) {
    while (!rest.empty()) {
      const std::string_view run = rest.substr(0, rest.find(kAnyLetter));
      if (run.size() > longest.size()) longest = run;
      rest.remove_prefix(std::min(run.size() + 1, rest.size()));
    }
  }
  return longest;
}

}  // namespace sparsecfg::selectors
