#include "base/wrap.h"

#include <vector>

#include "base/text.h"

namespace sparsecfg::base {

// Splits text at spaces. Text in backticks stays one word.
static std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  bool in_code = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    in_code ^= text[at] == '`';
    if (text[at] == ' ' && !in_code) {
      words.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  words.push_back(text.substr(begin));
  return words;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::size_t column = indent;
  for (const std::string_view word : words_of(text)) {
    const std::size_t width = display_width(word);
    if (!out.empty() && column + 1 + width > columns) {
      out.erase(out.find_last_not_of(' ') + 1);
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  return out;
}

}  // namespace sparsecfg::base
