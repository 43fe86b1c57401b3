#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparsecfg::diag {

struct PageOptions {
  bool color = false;
  std::size_t columns = 0;  // width of the terminal; 0: lines are not wrapped
};

// Prepares the plain text of a command for people. Lines that are too wide are wrapped at spaces: in a row of two
// columns, continuations are indented to the second column, otherwise by two more columns than the line. Colors follow
// from the form of a line: headings, the first column of rows, removed (`- `) and added (`+ `) lines, `note:`,
// and results of conversions. The text must be printable.
[[nodiscard]] std::string as_page(std::string_view text, const PageOptions& options);

}  // namespace sparsecfg::diag
