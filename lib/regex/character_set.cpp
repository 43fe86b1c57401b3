#include "regex/character_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sparsecfg::regex {

struct Category {
  char letter;
  std::string_view unicode;
  std::string_view ascii;
};

constexpr std::array<Category, 6> kCategories = {{
    {'d', R"(\d)", R"(0-9)"},
    {'D', R"(\D)", R"(\x00-\x2f\x3a-\x{10ffff})"},
    {'s', R"(\x09-\x0d\x1c-\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})",
     R"(\x09-\x0d\x20)"},
    {'S',
     R"(\x00-\x08\x0e-\x1b\x21-\x84\x86-\x9f\xa1-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e})"
     R"(\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})",
     R"(\x00-\x08\x0e-\x1f\x21-\x{10ffff})"},
    {'w', R"(\w)", R"(0-9A-Z_a-z)"},
    {'W', R"(\W)", R"(\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x{10ffff})"},
}};

// Letters that are equal in Python if case is ignored, but not in PCRE2.
constexpr std::array<std::u32string_view, 4> kFamilies = {
    U"Ii\u0130\u0131",
    U"\u0390\u1fd3",
    U"\u03b0\u1fe3",
    U"\ufb05\ufb06",
};

// Escapes a character so that it is literal inside and outside a set.
static std::string escaped(char32_t character) {
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < 0x20 || character == 0x7F || surrogate) {
    return fmt::format("\\x{{{:x}}}", static_cast<unsigned>(character));
  }
  const auto byte = static_cast<char>(character < 0x80 ? character : 'a');
  std::string text = base::is_letter(byte) || base::is_digit(byte) || byte == '_' ? "" : "\\";
  base::append_utf8(text, character);
  return text;
}

static std::string_view members(char letter, const Flags& flags) {
  const auto* found = std::ranges::find(kCategories, letter, &Category::letter);
  return flags.ascii ? found->ascii : found->unicode;
}

void CharacterSet::add_plain(char32_t first, char32_t last) {
  members_ += first == last ? escaped(first) : escaped(first) + '-' + escaped(last);
}

void CharacterSet::add_range(char32_t first, char32_t last) {
  add_plain(first, last);
  if (flags_.ignore_case && flags_.ascii) {
    add_ascii_case(first, last);
  } else if (flags_.ignore_case) {
    add_unicode_case(first, last);
  }
}

void CharacterSet::add_ascii_case(char32_t first, char32_t last) {
  const auto shift = [&](char32_t from, char32_t to, std::int32_t by) {
    const char32_t begin = std::max(first, from);
    const char32_t end = std::min(last, to);
    if (begin <= end) {
      add_plain(static_cast<char32_t>(static_cast<std::int32_t>(begin) + by),
                static_cast<char32_t>(static_cast<std::int32_t>(end) + by));
    }
  };
  shift('A', 'Z', 'a' - 'A');
  shift('a', 'z', 'A' - 'a');
}

void CharacterSet::add_unicode_case(char32_t first, char32_t last) {
  for (const std::u32string_view family : kFamilies) {
    const auto inside = [&](char32_t letter) { return first <= letter && letter <= last; };
    if (std::ranges::any_of(family, inside)) {
      std::ranges::for_each(family, [&](char32_t letter) { add_plain(letter, letter); });
    }
  }
}

void CharacterSet::add_category(char letter) { members_ += members(letter, flags_); }

std::string CharacterSet::text(bool negated) const { return (negated ? "[^" : "[") + members_ + ']'; }

std::string character_text(char32_t character, const Flags& flags) {
  std::string plain = escaped(character);
  if (!flags.ignore_case) {
    return plain;
  }
  CharacterSet set(flags);
  set.add(character);
  const std::string bracketed = set.text(false);
  return bracketed.size() == plain.size() + 2 ? plain : bracketed;
}

std::string category_text(char letter, const Flags& flags) {
  CharacterSet set(flags);
  set.add_category(letter);
  return set.text(false);
}

std::string position_text(char letter, const Flags& flags) {
  if (letter == 'A' || letter == 'Z') {
    return letter == 'A' ? R"(\A)" : R"(\z)";
  }
  const bool negated = letter == 'B';
  // Python's \B fails on an empty text, PCRE2's succeeds.
  const std::string_view guard = negated ? R"((?!\A\z))" : "";
  if (!flags.ascii) {
    return fmt::format(R"({}\{})", guard, letter);
  }
  const std::string word = category_text('w', flags);
  return negated ? fmt::format("{1}(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", word, guard)
                 : fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", word);
}

}  // namespace sparsecfg::regex
