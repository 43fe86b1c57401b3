#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/selectors/comparison.h"

namespace sparsecfg::selectors {

// A pattern that consists of letters, single characters that may be any, and any text between these pieces. Most
// entries that programs match as regular expressions or globs are such patterns, and are compared without compiling
// them.
struct Pieces {
  static constexpr char kAnyLetter = 0;  // in a piece; no name contains it

  std::vector<std::string> parts;  // none is empty
  bool at_start = false;           // the first piece must be at the start of the name
  bool at_end = false;             // the last piece must be at the end

  // Returns true if the pattern matches a name. `name` must be plain.
  [[nodiscard]] bool match(std::string_view name) const;

  // Returns the longest text that each matching name contains; empty if there is none.
  [[nodiscard]] std::string_view required_text() const;
};

// Returns the pieces of an entry that is a regular expression or a glob; nullopt if it has other constructs.
[[nodiscard]] std::optional<Pieces> pieces_of(How how, std::string_view text);

// Returns true if a name contains only ASCII characters and no line feed, so that each byte is a character that `.`
// matches.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace sparsecfg::selectors
