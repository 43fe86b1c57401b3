#include "regex/translator.h"

#include <fmt/format.h>

#include "base/text.h"
#include "regex/character_set.h"
#include "regex/escape.h"
#include "regex/pattern.h"

namespace sparsecfg::regex {

constexpr std::size_t kMaxPatternLength = 16384;

static bool ends_in_escape(std::string_view pattern) {
  const std::size_t other = pattern.find_last_not_of('\\');
  const std::size_t backslashes = pattern.size() - (other == std::string_view::npos ? 0 : other + 1);
  return backslashes % 2 == 1;
}

std::variant<std::string, SyntaxError> translate(std::string_view python_pattern) {
  if (python_pattern.size() > kMaxPatternLength) {
    return SyntaxError{fmt::format("the pattern is longer than {} bytes", kMaxPatternLength), 0};
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
      scanner_.fail(fmt::format("undefined group {}", number), offset);
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
    if (!flags.verbose || !scanner_.take_blank()) {
      item(sequence);
    }
  }
  return in_sequence(sequence.before, sequence.last.width);
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
  const SetText text = read_set(scanner_);
  CharacterSet set(sequence.flags);
  for (const SetMember& member : text.members) {
    if (member.category != 0) {
      set.add_category(member.category);
    } else {
      set.add_range(member.first, member.last);
    }
  }
  append(sequence, Item::Kind::unit, set.text(text.negated));
}

void Translator::repeat(Sequence& sequence, std::string_view token) {
  const std::size_t begin = scanner_.offset() - token.size();
  const std::optional<Width> count = read_count(scanner_, token);
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

void Translator::write_repeat(const Item& item, Width count, std::string_view mode) {
  if (count.max == 0) {
    return write_never(item);
  }
  if (item.width.max == 0) {
    return write_empty_repeat(item, count, mode);
  }
  if (mode == "+" && out_[item.begin] == '(') {
    // Python does not backtrack into any round, PCRE2 not into the repeated item as a whole.
    out_.insert(item.begin, "(?>");
    out_ += ')';
  }
  const std::string max = count.max == kUnlimited ? "" : fmt::format("{}", count.max);
  out_ += fmt::format("{{{},{}}}{}", count.min, max, mode);
}

// Only the group numbers of an item repeated zero times remain. In a look-behind, PCRE2 would still require a fixed
// width.
void Translator::write_never(const Item& item) {
  out_.resize(item.begin);
  out_ += "(?:(?!)";
  for (std::size_t number = item.first_group; number < groups_.size(); ++number) {
    out_ += "()";
  }
  out_ += "|)";
}

// An item of width zero matches once or never, however often it is repeated. It is written as an alternative, because
// PCRE2 rejects its repeats in a look-behind.
void Translator::write_empty_repeat(const Item& item, Width count, std::string_view mode) {
  const bool optional = count.min == 0;
  const bool skip_first = optional && mode == "?";
  out_.insert(item.begin, mode == "+" ? "(?>" : skip_first ? "(?:|" : "(?:");
  out_ += optional && !skip_first ? "|)" : ")";
}

}  // namespace sparsecfg::regex
