#include "regex/escape.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sparsecfg::regex {

static Escape read_character(Scanner& scanner) {
  const std::string_view token = scanner.take();
  if (token.front() == '\\') {
    return read_set_escape(scanner, token);
  }
  std::size_t at = 0;
  return {Escape::Kind::character, base::next_code_point(token, at)};
}

static SetMember member(const Escape& escape) {
  if (escape.kind == Escape::Kind::category) {
    return {0, 0, static_cast<char>(escape.value)};
  }
  return {escape.value, escape.value, 0};
}

// Reads a character, a category or a range. A hyphen before the closing bracket is a character.
static void read_member(Scanner& scanner, std::vector<SetMember>& members) {
  const std::size_t begin = scanner.offset();
  const Escape first = read_character(scanner);
  members.push_back(member(first));
  if (!scanner.take_if("-")) {
    return;
  }
  if (scanner.at_end() || scanner.peek() == "]") {
    members.push_back({U'-', U'-', 0});
    return;
  }
  const Escape last = read_character(scanner);
  const bool characters = first.kind == Escape::Kind::character && last.kind == Escape::Kind::character;
  if (characters && first.value <= last.value) {
    members.back().last = last.value;
  } else {
    scanner.fail(fmt::format("bad character range `{}`", scanner.since(begin)), begin);
  }
}

SetText read_set(Scanner& scanner) {
  const std::size_t open = scanner.offset() - 1;
  SetText text{scanner.take_if("^"), {}};
  do {
    if (scanner.at_end()) {
      scanner.fail("unterminated character set", open);
    } else {
      read_member(scanner, text.members);
    }
  } while (!scanner.error() && !scanner.take_if("]"));
  return text;
}

}  // namespace sparsecfg::regex
