#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doc/document.h"
#include "source/span.h"

namespace sparsecfg::doc {

// A token of a Python script, limited to the kinds that literals need.
struct PythonToken {
  enum class Kind : std::uint8_t {
    name,
    number,
    text,        // string without a prefix other than `r` and `u`
    other_text,  // bytes and f-strings, whose value is not a string or unknown
    mark,        // operator or bracket, one character each
    line_end,    // outside brackets
    broken,      // unterminated string
    end,
  };
  Kind kind = Kind::end;
  source::Span span;
  bool first = false;  // true at the start of an unindented line
  std::string value;   // value of a string after unescaping
};

// Returns the tokens of a script; the last one has the kind `end`. Adds comments to `comments`.
[[nodiscard]] std::vector<PythonToken> read_tokens(std::string_view script, std::vector<Comment>& comments);

}  // namespace sparsecfg::doc
