#include "regex/alphabet.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"

namespace sparsecfg::regex {

constexpr char32_t kFirstBeyondAscii = 0x80;
constexpr char32_t kFirstSurrogate = 0xD800;  // never occurs in UTF-8
constexpr char32_t kFirstBehindSurrogates = 0xE000;
constexpr char32_t kLast = 0x10FFFF;
constexpr char32_t kLastSpace = U'\u3000';
// At most this many characters between two boundaries are checked one by one.
constexpr char32_t kFew = 32;

constexpr std::uint64_t kCostOfName = 1'000;
constexpr std::uint64_t kUnnamed = 5;
constexpr std::uint64_t kCostOfPrintable = 100'000;
constexpr std::uint64_t kCostOfForeign = 1'000'000;
constexpr std::uint64_t kCostOfUnsafe = 100'000'000;
constexpr std::uint64_t kCostOfDoubtful = 1'000'000'000'000;

// One sample of each kind, from blocks that a range is likely to contain completely.
constexpr std::array<CodePoint, 12> kSamples = {{
    {U'\u00e9', CharacterKind::word},
    {U'\u0431', CharacterKind::word},
    {U'\u4e2d', CharacterKind::word},
    {U'\U00020000', CharacterKind::word},
    {U'\u0663', CharacterKind::digit},
    {U'\uff15', CharacterKind::digit},
    {U'\U0001d7d8', CharacterKind::digit},
    {U'\u00d7', CharacterKind::other},
    {U'\u2192', CharacterKind::other},
    {U'\uff0b', CharacterKind::other},
    {U'\U0001f600', CharacterKind::other},
    {U'\u2003', CharacterKind::space},
}};

static bool matches(const Pattern& pattern, char32_t character) {
  std::string text;
  base::append_utf8(text, character);
  return pattern.match(text) == Match::yes;
}

// Asks the matcher, so that both classify every character alike.
static CharacterKind kind_of(char32_t character) {
  static std::mutex mutex;  // matching changes a pattern
  const std::lock_guard lock(mutex);
  const auto compiled = [](std::string_view pattern) {
    return std::get<Pattern>(Pattern::compile(pattern, Anchoring::both));
  };
  static const Pattern kDigit = compiled(R"(\d)");
  static const Pattern kWord = compiled(R"(\w)");
  static const Pattern kSpace = compiled(R"(\s)");
  return matches(kDigit, character)   ? CharacterKind::digit
         : matches(kWord, character)  ? CharacterKind::word
         : matches(kSpace, character) ? CharacterKind::space
                                      : CharacterKind::other;
}

Alphabet::Alphabet(const Nfa& a, const Nfa& b) {
  for (const Nfa* language : {&a, &b}) {
    for (const CharSet& letters : language->sets()) {
      ranges_.insert(ranges_.end(), letters.ranges().begin(), letters.ranges().end());
    }
  }
  for (const auto& [first, last] : ranges_) {
    if (first == last && first < kFirstBeyondAscii) named_.set(first);
  }
  symbols_.reserve(2 * kFirstBeyondAscii);
  add_ascii();
  add_beyond_ascii();
  merge(a, b);
}

void Alphabet::add_ascii() {
  for (char32_t character = 0; character < kFirstBeyondAscii; ++character) {
    if (character != U'\n') {
      add({character, ascii_kind(character)}, true);
    }
  }
}

// No range of either language begins or ends within a segment.
void Alphabet::add_beyond_ascii() {
  std::set<char32_t> firsts = {kFirstBeyondAscii, kFirstSurrogate, kFirstBehindSurrogates, kLast + 1};
  for (const auto& [first, last] : ranges_) {
    firsts.insert(std::max(first, kFirstBeyondAscii));
    firsts.insert(std::max<char32_t>(last + 1, kFirstBeyondAscii));
  }
  for (auto first = firsts.begin(); std::next(first) != firsts.end(); ++first) {
    if (*first < kFirstSurrogate || *first >= kFirstBehindSurrogates) {
      add_segment(*first, *std::next(first) - 1);
    }
  }
}

static std::optional<char32_t> find(CharacterKind kind, char32_t first, char32_t last) {
  for (const CodePoint& sample : kSamples) {
    if (sample.kind == kind && first <= sample.character && sample.character <= last) {
      return sample.character;
    }
  }
  if (kind == CharacterKind::space && first > kLastSpace) {
    return std::nullopt;
  }
  for (char32_t character = first; character <= last && character - first < kFew; ++character) {
    if (kind_of(character) == kind) {
      return character;
    }
  }
  return std::nullopt;
}

void Alphabet::add_segment(char32_t first, char32_t last) {
  for (const CharacterKind kind :
       {CharacterKind::word, CharacterKind::digit, CharacterKind::other, CharacterKind::space}) {
    if (const std::optional<char32_t> character = find(kind, first, last)) {
      add({*character, kind}, true);
    } else if (last - first >= kFew) {
      add({first, kind}, false);
    }
  }
}

static Side side_of(CodePoint letter) {
  return is_word(letter, true) ? Side::ascii_word : is_word(letter, false) ? Side::unicode_word : Side::other;
}

// Orders lower-case letters before capitals, digits, `_` and `.`. Returns nullopt for characters that are rare in
// names.
static std::optional<std::uint64_t> rank(char byte) {
  if (base::is_letter(byte)) {
    return byte >= 'a' ? 0 : 1;
  }
  if (base::is_digit(byte)) {
    return 2;
  }
  return byte == '_' ? std::optional<std::uint64_t>(3) : byte == '.' ? std::optional<std::uint64_t>(4) : std::nullopt;
}

// Characters that a pattern names are cheaper than others.
std::uint64_t Alphabet::cost_of_ascii(char32_t character) const {
  if (const std::optional<std::uint64_t> place = rank(static_cast<char>(character))) {
    return kCostOfName + *place + (named_[character] ? 0 : kUnnamed);
  }
  const bool printable = character > U' ' && character < 0x7F;
  return printable ? kCostOfPrintable : character == U' ' ? kCostOfForeign : kCostOfUnsafe;
}

static std::uint64_t cost_beyond_ascii(CodePoint letter) {
  const bool seen = letter.kind != CharacterKind::space && !base::is_unsafe(letter.character);
  return seen ? kCostOfForeign : kCostOfUnsafe;
}

void Alphabet::add(CodePoint letter, bool exists) {
  const std::uint64_t cost = !exists                                ? kCostOfDoubtful
                             : letter.character < kFirstBeyondAscii ? cost_of_ascii(letter.character)
                                                                    : cost_beyond_ascii(letter);
  symbols_.push_back({letter, side_of(letter), cost, exists});
}

// Returns the distinct sets of both languages.
static std::vector<const CharSet*> sets_of(const Nfa& a, const Nfa& b) {
  std::vector<const CharSet*> out;
  for (const CharSet& letters : a.sets()) out.push_back(&letters);
  if (&a == &b) {
    return out;
  }
  const std::set<CharSet> known(a.sets().begin(), a.sets().end());
  for (const CharSet& letters : b.sets()) {
    if (!known.contains(letters)) out.push_back(&letters);
  }
  return out;
}

// Returns the membership of a symbol in each set. Symbols with the same result are equivalent.
static std::string answers(const Alphabet::SymbolClass& symbol, const std::vector<const CharSet*>& sets) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(symbol.side)));
  for (const CharSet* letters : sets) text += letters->contain(symbol.letter) ? '+' : '-';
  return text;
}

namespace {

// Numbers the ranges of characters that no set in question distinguishes, if their characters are of one kind.
class SymbolRanges {
 public:
  SymbolRanges(const std::vector<Alphabet::SymbolClass>& symbols, const std::vector<CharSet::Range>& ranges) {
    for (const auto& [first, last] : ranges) {
      begins_.insert(begins_.end(), {first, last + 1});
    }
    std::ranges::sort(begins_);
    begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    number(symbols);
  }

  [[nodiscard]] std::size_t count() const { return kKinds * (begins_.size() + 1); }

  // Returns the range of each symbol.
  [[nodiscard]] const std::vector<std::size_t>& of_symbols() const { return of_symbols_; }

 private:
  static constexpr std::size_t kKinds = 4;  // number of character kinds

  // Symbols are in character order, or between the same two boundaries.
  void number(const std::vector<Alphabet::SymbolClass>& symbols) {
    std::size_t at = 0;
    for (const Alphabet::SymbolClass& symbol : symbols) {
      while (at < begins_.size() && begins_[at] <= symbol.letter.character) ++at;
      of_symbols_.push_back(kKinds * at + static_cast<std::size_t>(symbol.letter.kind));
    }
  }

  std::vector<char32_t> begins_ = {0x1c, 0x20, kFirstBeyondAscii};  // with the flag `a`, separators are not spaces
  std::vector<std::size_t> of_symbols_;
};

}  // namespace

static auto readability(const Alphabet::SymbolClass& symbol) { return std::pair(symbol.cost, symbol.letter.character); }

// Returns the cheapest symbol of each range, cheapest first.
static std::vector<std::size_t> cheapest_of(const std::vector<Alphabet::SymbolClass>& symbols,
                                            const SymbolRanges& symbol_ranges) {
  std::vector<std::optional<std::size_t>> cheapest(symbol_ranges.count());
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    std::optional<std::size_t>& found = cheapest[symbol_ranges.of_symbols()[at]];
    if (!found || readability(symbols[at]) < readability(symbols[*found])) found = at;
  }
  std::vector<std::size_t> out;
  for (const std::optional<std::size_t>& found : cheapest) {
    if (found) out.push_back(*found);
  }
  std::ranges::sort(out, {}, [&](std::size_t at) { return readability(symbols[at]); });
  return out;
}

// Keeps the cheapest symbols, ordered so that the search tries readable ones first.
void Alphabet::merge(const Nfa& a, const Nfa& b) {
  const std::vector<const CharSet*> sets = sets_of(a, b);
  const SymbolRanges symbol_ranges(symbols_, ranges_);
  std::vector<std::size_t> places(symbol_ranges.count());
  std::map<std::string, std::size_t> known;
  std::vector<SymbolClass> kept;
  for (const std::size_t at : cheapest_of(symbols_, symbol_ranges)) {
    const auto [found, is_new] = known.emplace(answers(symbols_[at], sets), kept.size());
    places[symbol_ranges.of_symbols()[at]] = found->second;
    if (is_new) kept.push_back(symbols_[at]);
  }
  for (std::size_t at = 0; symbols_[at].letter.character < kFirstBeyondAscii; ++at) {
    of_ascii_[symbols_[at].letter.character] = places[symbol_ranges.of_symbols()[at]];
  }
  symbols_ = std::move(kept);
  dot_ = symbol_of('.');
}

}  // namespace sparsecfg::regex
