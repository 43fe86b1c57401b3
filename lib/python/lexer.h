#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::python {

struct Token {
  enum class Kind : std::uint8_t { number, name, keyword, string, operation, newline, end, error };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t offset = 0;  // into the text as given, before Python's strip()
  std::string message;       // of an error
};

// The tokens of a Python text after its strip(). The last one is an end or an error; newlines
// within brackets and behind a backslash are left out.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

}  // namespace sparsecfg::python
