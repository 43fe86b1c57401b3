#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "doc/document.h"
#include "source/span.h"

namespace sparsecfg::doc {

// A word of a Python script, as far as literals need it.
struct PythonToken {
  enum class Kind : std::uint8_t {
    name,
    number,
    text,        // a string without a prefix but `r` and `u`
    other_text,  // bytes and formatted strings, whose value is not a string or not known
    mark,        // an operator or a bracket, one character each
    line_end,    // outside of brackets
    broken,      // a string without an end
    end,
  };
  Kind kind = Kind::end;
  source::Span span;
  bool first = false;  // true if it begins a line without any indentation
  std::string value;   // of a text, what its escapes stand for
};

// Returns the tokens of a script, the last one of kind `end`. Comments are added to `comments`.
[[nodiscard]] std::vector<PythonToken> read_tokens(std::string_view script, std::vector<Comment>& comments);

}  // namespace sparsecfg::doc
