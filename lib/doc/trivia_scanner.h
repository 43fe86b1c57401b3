#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"

namespace sparsecfg::doc {

// Looks at the text between the contents of nodes, where indentation, indicators, properties and
// comments stand, and so finds the comments without mistaking a `#` inside a text for one.
class TriviaScanner {
 public:
  TriviaScanner(std::string_view text, std::uint32_t begin, std::vector<Comment>& comments, diag::Sink& sink)
      : text_(text), at_(begin), token_end_(begin), comments_(comments), sink_(sink) {}

  // Looks at everything up to `end`. False, and reported, where a tab stands there: libyaml takes
  // many a tab as a blank, PyYAML none.
  [[nodiscard]] bool scan_to(std::uint32_t end);
  // Goes past the content of a node.
  void skip_to(std::uint32_t end);

  // The end of the last thing before here that is neither blank nor comment.
  [[nodiscard]] std::uint32_t token_end() const { return token_end_; }

 private:
  void skip_comment();
  void skip_directive();
  void skip_verbatim_tag(std::uint32_t end);
  [[nodiscard]] std::uint32_t line_end(std::uint32_t from) const;

  std::string_view text_;
  std::uint32_t at_;
  std::uint32_t token_end_;
  bool after_comma_ = false;
  std::vector<Comment>& comments_;
  diag::Sink& sink_;
};

// Reports the tab at `at` as what it is: indentation, or a blank within a line.
void report_tab(std::string_view text, std::uint32_t at, diag::Sink& sink);

}  // namespace sparsecfg::doc
