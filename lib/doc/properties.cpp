#include "doc/yaml_parts.h"

#include <algorithm>

#include "base/text.h"
#include "doc/characters.h"

namespace sparsecfg::doc {

static bool is_name_character(char c) { return base::is_letter(c) || base::is_digit(c) || c == '-' || c == '_'; }

static source::Span read_anchor(std::string_view text, std::uint32_t begin) {
  std::uint32_t at = begin + 1;
  while (at < text.size() && is_name_character(text[at])) {
    ++at;
  }
  return {begin, at};
}

static source::Span read_tag(std::string_view text, std::uint32_t begin) {
  const bool verbatim = text.substr(begin).starts_with("!<");
  std::uint32_t at = begin + 1;
  while (!is_space_or_end(text, at) && text[at] != '\t' && (verbatim || text[at] != ',')) {
    ++at;
  }
  return {begin, at};
}

// If a tag contains a second `!`, PyYAML requires a valid handle name before it.
static bool has_bad_handle(std::string_view tag) {
  const std::size_t second = tag.find('!', 1);
  return !tag.starts_with("!<") && second != std::string_view::npos &&
         !std::ranges::all_of(tag.substr(1, second - 1), is_name_character);
}

static std::string_view tag_problem(std::string_view text, source::Span tag) {
  if (tag.end < text.size() && text[tag.end] == ',') {
    return "PyYAML reads the `,` after this tag as part of the tag";
  }
  return has_bad_handle(text.substr(tag.begin, tag.end - tag.begin))
             ? "the text between the first and second `!` is not a valid tag handle"
             : "";
}

std::uint32_t skip_trivia(std::string_view text, std::uint32_t at) {
  while (at < text.size()) {
    if (text[at] == '#') {
      at = static_cast<std::uint32_t>(find_line_end(text, at));
    } else if (text[at] == ' ' || text[at] == '\t') {
      ++at;
    } else if (const std::size_t length = break_length(text, at); length > 0) {
      at += static_cast<std::uint32_t>(length);
    } else {
      break;
    }
  }
  return at;
}

Properties find_properties(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  Properties found;
  const std::string_view readable = text.substr(0, end);
  for (std::uint32_t at = begin; at < end; at = skip_trivia(readable, at)) {
    if (text[at] == '&' && found.anchor.empty()) {
      found.anchor = read_anchor(readable, at);
      at = found.anchor.end;
    } else if (text[at] == '!' && found.tag.empty()) {
      found.tag = read_tag(readable, at);
      at = found.tag.end;
      found.problem = tag_problem(text, found.tag);
    } else {
      break;
    }
  }
  return found;
}

}  // namespace sparsecfg::doc
