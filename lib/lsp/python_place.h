#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Finds the call, list or dictionary of a Python script that a position is in, also while the script is incomplete.
namespace sparsecfg::lsp {

// A bracket that is open at a position.
struct PythonBracket {
  char kind = '(';
  std::string name;  // of the called function, or of the variable to which a list or mapping is assigned
  std::string key;   // keyword argument or key of the value at the position; empty: none
  std::vector<std::string> present;  // keyword arguments and keys before the position
};

struct PythonPlace {
  std::vector<PythonBracket> brackets;  // from the outermost to the innermost
  bool in_string = false;
  std::uint32_t string_begin = 0;  // of the contents of the string
  bool is_triple = false;          // true if the string may have several lines

  // Returns true if a keyword argument or a key may start here.
  [[nodiscard]] bool begins_key() const;
};

// Returns the place of an offset in a script. Returns nullopt in comments.
[[nodiscard]] std::optional<PythonPlace> python_place(std::string_view script, std::uint32_t offset);

}  // namespace sparsecfg::lsp
