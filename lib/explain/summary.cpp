#include "explain/parts.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::explain {

std::string without_arguments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' && at + 1 < text.size() && text[at + 1] != '{') {
      out += "...";
      at = std::min(text.find('}', at), text.size());
    } else {
      out += text[at];
      at += (text[at] == '{' || text[at] == '}') ? 1 : 0;
    }
  }
  return out;
}

static std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    words += letter && !inside ? 1 : 0;
    inside = letter;
  }
  return words;
}

// A full stop within backticks or before a lower-case letter does not end a sentence.
static std::string_view first_sentence(std::string_view text) {
  bool code = false;
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    code = code != (text[at] == '`');
    const bool lower = text[at + 2] >= 'a' && text[at + 2] <= 'z';
    if (!code && text[at] == '.' && text[at + 1] == ' ' && !lower) {
      return text.substr(0, at);
    }
  }
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string summary_of(const diag::Info& info) {
  constexpr std::size_t kFewestWords = 4;
  std::string message = without_arguments(info.message);
  return count_words(message) < kFewestWords ? std::string(first_sentence(info.explanation)) : message;
}

std::string_view autofix_of(std::string_view code) {
  const Example* example = find_example(code);
  if (example == nullptr || (!example->safe_fix && !example->unsafe_fix)) {
    return "none";
  }
  return !example->unsafe_fix ? "safe" : example->safe_fix ? "safe or unsafe" : "unsafe";
}

}  // namespace sparsecfg::explain
