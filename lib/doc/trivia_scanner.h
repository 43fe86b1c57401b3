#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"

namespace sparsecfg::doc {

// Scans the text between node contents, which contains indentation, indicators, properties and comments. Finds comments
// without mistaking a `#` in a scalar for one.
class TriviaScanner {
 public:
  TriviaScanner(std::string_view text, std::uint32_t begin, bool tabs, std::vector<Comment>& comments, diag::Sink& sink)
      : text_(text), tabs_(tabs), at_(begin), token_end_(begin), comments_(comments), sink_(sink) {}

  // Scans up to `end`. Returns false, after a report, at a tab: libyaml accepts many tabs as white space, PyYAML none.
  // JSON accepts tabs; `tabs` selects that rule.
  [[nodiscard]] bool scan_to(std::uint32_t end);
  // Skips the content of a node.
  void skip_to(std::uint32_t end);

  // Returns the end of the last token before the current position that is neither white space nor a comment.
  [[nodiscard]] std::uint32_t token_end() const { return token_end_; }

 private:
  void skip_comment();
  void skip_directive();
  void skip_verbatim_tag(std::uint32_t end);
  [[nodiscard]] std::uint32_t line_end(std::uint32_t from) const;

  std::string_view text_;
  bool tabs_;
  std::uint32_t at_;
  std::uint32_t token_end_;
  bool after_comma_ = false;
  std::vector<Comment>& comments_;
  diag::Sink& sink_;
};

// Reports the tab at `at`, either as indentation or as white space within a line.
void report_tab(std::string_view text, std::uint32_t at, diag::Sink& sink);

}  // namespace sparsecfg::doc
