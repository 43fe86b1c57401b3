#include "regex/translator.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "regex/character_set.h"
#include "regex/translate.h"

namespace sparsecfg::regex {

constexpr std::size_t kLongest = 16384;
constexpr std::uint64_t kMostRepeats = 65535;  // PCRE2's own limit

static bool ends_in_escape(std::string_view pattern) {
  const std::size_t other = pattern.find_last_not_of('\\');
  const std::size_t backslashes = pattern.size() - (other == std::string_view::npos ? 0 : other + 1);
  return backslashes % 2 == 1;
}

std::variant<std::string, SyntaxError> translate(std::string_view python_pattern) {
  if (python_pattern.size() > kLongest) {
    return SyntaxError{fmt::format("the pattern is longer than {} bytes", kLongest), 0};
  }
  if (const std::size_t wrong = base::find_invalid_utf8(python_pattern); wrong < python_pattern.size()) {
    return SyntaxError{"the pattern is not UTF-8", static_cast<std::uint32_t>(wrong)};
  }
  if (ends_in_escape(python_pattern)) {
    return SyntaxError{"the pattern ends in a backslash", static_cast<std::uint32_t>(python_pattern.size() - 1)};
  }
  return Translator(python_pattern).run();
}

std::variant<std::string, SyntaxError> Translator::run() {
  alternatives({}, true);
  if (!scanner_.at_end()) {
    scanner_.fail("unbalanced `)`", scanner_.offset());
  }
  for (const auto& [number, offset] : conditions_) {
    if (number >= groups_.size()) {
      scanner_.fail(fmt::format("there is no group {}", number), offset);
    }
  }
  if (scanner_.error()) {
    return *scanner_.error();
  }
  return std::move(out_);
}

Width Translator::alternatives(Flags flags, bool top_level) {
  Width width = sequence(flags, top_level);
  while (scanner_.take_if("|")) {
    out_ += '|';
    width = either(width, sequence(flags, false));
  }
  return width;
}

Width Translator::sequence(Flags& flags, bool may_set_flags) {
  Sequence sequence{flags, may_set_flags, {}, {}};
  while (!scanner_.at_end() && scanner_.peek() != "|" && scanner_.peek() != ")") {
    if (!flags.verbose || !skip_verbose()) {
      item(sequence);
    }
  }
  return in_sequence(sequence.before, sequence.last.width);
}

// White space and comments, which the flag `x` lets stand between items.
bool Translator::skip_verbose() {
  if (scanner_.take_if("#")) {
    while (!scanner_.at_end() && scanner_.take() != "\n") {
    }
    return true;
  }
  const bool space = std::string_view(" \t\n\r\v\f").find(scanner_.peek()) != std::string_view::npos;
  return space && !scanner_.take().empty();
}

void Translator::item(Sequence& sequence) {
  const std::string_view token = scanner_.take();
  switch (token.front()) {
    case '\\': return escape(sequence, token);
    case '[': return character_set(sequence);
    case '(': return group(sequence);
    case '^':
    case '$': return append(sequence, Item::Kind::position, token);
    case '.': return append(sequence, Item::Kind::unit, token);
    case '*':
    case '+':
    case '?':
    case '{': return repeat(sequence, token);
    default: std::size_t at = 0; return append_character(sequence, base::next_code_point(token, at));
  }
}

void Translator::start(Sequence& sequence, const Item& item) {
  sequence.before = in_sequence(sequence.before, sequence.last.width);
  sequence.last = item;
}

void Translator::append(Sequence& sequence, Item::Kind kind, std::string_view text) {
  const std::uint64_t width = kind == Item::Kind::unit ? 1 : 0;
  start(sequence, {kind, out_.size(), groups_.size(), {width, width}});
  out_ += text;
}

void Translator::append_character(Sequence& sequence, char32_t character) {
  append(sequence, Item::Kind::unit, character_text(character, sequence.flags));
}

void Translator::escape(Sequence& sequence, std::string_view token) {
  const std::size_t begin = scanner_.offset() - token.size();
  const Escape escape = read_escape(scanner_, token);
  const auto letter = static_cast<char>(escape.value);
  switch (escape.kind) {
    case Escape::Kind::character: return append_character(sequence, escape.value);
    case Escape::Kind::category: return append(sequence, Item::Kind::unit, category_text(letter, sequence.flags));
    case Escape::Kind::position: return append(sequence, Item::Kind::position, position_text(letter, sequence.flags));
    case Escape::Kind::group: return reference(sequence, escape.value, begin);
  }
}

void Translator::character_set(Sequence& sequence) {
  const std::size_t open = scanner_.offset() - 1;
  CharacterSet set(sequence.flags);
  const bool negated = scanner_.take_if("^");
  do {
    if (scanner_.at_end()) {
      scanner_.fail("unterminated character set", open);
    } else {
      set_member(set);
    }
  } while (!scanner_.error() && !scanner_.take_if("]"));
  append(sequence, Item::Kind::unit, set.text(negated));
}

Escape Translator::set_character() {
  const std::string_view token = scanner_.take();
  if (token.front() == '\\') {
    return read_set_escape(scanner_, token);
  }
  std::size_t at = 0;
  return {Escape::Kind::character, base::next_code_point(token, at)};
}

// A character, a category or a range; a hyphen before the closing bracket is a character.
void Translator::set_member(CharacterSet& set) {
  const std::size_t begin = scanner_.offset();
  const Escape first = set_character();
  const bool is_character = first.kind == Escape::Kind::character;
  const bool hyphen = scanner_.take_if("-");
  if (hyphen && !scanner_.at_end() && scanner_.peek() != "]") {
    const Escape last = set_character();
    if (is_character && last.kind == Escape::Kind::character && first.value <= last.value) {
      return set.add_range(first.value, last.value);
    }
    return scanner_.fail(fmt::format("bad character range `{}`", scanner_.since(begin)), begin);
  }
  if (is_character) {
    set.add(first.value);
  } else {
    set.add_category(static_cast<char>(first.value));
  }
  if (hyphen) {
    set.add('-');
  }
}

void Translator::repeat(Sequence& sequence, std::string_view token) {
  const std::size_t begin = scanner_.offset() - token.size();
  const std::optional<Width> count = read_count(token);
  Item& item = sequence.last;
  if (!count) {
    append_character(sequence, '{');
  } else if (item.kind == Item::Kind::none || item.kind == Item::Kind::position) {
    scanner_.fail("nothing to repeat", begin);
  } else if (item.kind == Item::Kind::repeat) {
    scanner_.fail("multiple repeat", begin);
  } else {
    const std::string_view mode = scanner_.take_if("?") ? "?" : scanner_.take_if("+") ? "+" : "";
    write_repeat(item, *count, mode);
    item.kind = Item::Kind::repeat;
    item.width = repeated(item.width, *count);
  }
}

// How often; nothing where a brace stands for itself.
std::optional<Width> Translator::read_count(std::string_view token) {
  if (token == "*") return Width{0, kUnlimited};
  if (token == "+") return Width{1, kUnlimited};
  if (token == "?") return Width{0, 1};
  return read_braces();
}

static std::uint64_t repeat_number(std::string_view digits, std::uint64_t otherwise) {
  if (digits.empty()) {
    return otherwise;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : kUnlimited;
}

std::optional<Width> Translator::read_braces() {
  const std::size_t begin = scanner_.offset();
  const std::string_view least = scanner_.take_digits(10, kLongest);
  const bool comma = scanner_.take_if(",");
  const std::string_view most = comma ? scanner_.take_digits(10, kLongest) : least;
  if ((least.empty() && !comma) || !scanner_.take_if("}")) {
    scanner_.go_back(begin);
    return std::nullopt;
  }
  const Width count{repeat_number(least, 0), repeat_number(most, kUnlimited)};
  if (count.least > kMostRepeats || (count.most > kMostRepeats && !most.empty())) {
    scanner_.fail(fmt::format("a repeat beyond {}", kMostRepeats), begin - 1);
  } else if (count.least > count.most) {
    scanner_.fail(fmt::format("a repeat of at least {} and at most {} times", count.least, count.most), begin - 1);
  }
  return count;
}

void Translator::write_repeat(const Item& item, Width count, std::string_view mode) {
  if (count.most == 0) {
    return write_never(item);
  }
  if (item.width.most == 0) {
    return write_empty_repeat(item, count, mode);
  }
  if (mode == "+" && out_[item.begin] == '(') {
    // Python goes back into none of the rounds, PCRE2 not into what is repeated as a whole.
    out_.insert(item.begin, "(?>");
    out_ += ')';
  }
  const std::string most = count.most == kUnlimited ? "" : fmt::format("{}", count.most);
  out_ += fmt::format("{{{},{}}}{}", count.least, most, mode);
}

// Of what is repeated no times only the numbers of its groups remain: in a look-behind PCRE2 would
// still want one width of it.
void Translator::write_never(const Item& item) {
  out_.resize(item.begin);
  out_ += "(?:(?!)";
  for (std::size_t number = item.first_group; number < groups_.size(); ++number) {
    out_ += "()";
  }
  out_ += "|)";
}

// What matches no characters matches once or never, however often it is repeated. Written as an
// alternative it can stand in a look-behind, where PCRE2 wants no repeats of it.
void Translator::write_empty_repeat(const Item& item, Width count, std::string_view mode) {
  const bool optional = count.least == 0;
  const bool skip_first = optional && mode == "?";
  out_.insert(item.begin, mode == "+" ? "(?>" : skip_first ? "(?:|" : "(?:");
  out_ += optional && !skip_first ? "|)" : ")";
}

}  // namespace sparsecfg::regex
