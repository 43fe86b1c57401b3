#include "doc/trivia_scanner.h"

#include <algorithm>

#include "doc/characters.h"
#include "doc/yaml_parts.h"

namespace sparsecfg::doc {

static bool only_blanks_before(std::string_view text, std::uint32_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
    --at;
  }
  return is_line_start(text, at);
}

void report_tab(std::string_view text, std::uint32_t at, diag::Sink& sink) {
  if (only_blanks_before(text, at)) {
    sink.report(diag::tab_indentation, {at, at + 1}).with_fix(spaces_for_tabs(text, at));
    return;
  }
  sink.report(diag::syntax_error, {at, at + 1}, "PyYAML accepts only spaces here, not a tab")
      .with_help("replace the tab with a space, or quote the string that contains it");
}

std::uint32_t TriviaScanner::line_end(std::uint32_t from) const {
  return static_cast<std::uint32_t>(find_line_end(text_, from));
}

// Between nodes, a line that begins with `%` is always a directive. PyYAML reads the words of an unknown directive
// verbatim. After known directives a comment may follow, and a tab does not count as a space.
void TriviaScanner::skip_directive() {
  const std::string_view line = text_.substr(at_, line_end(at_) - at_);
  const bool known = line.starts_with("%TAG ") || line.starts_with("%YAML ");
  const std::size_t end = known ? std::min(line.find(" #"), line.find('\t')) : line.size();
  at_ += static_cast<std::uint32_t>(std::min(end, line.size()));
  if (known) token_end_ = at_;
}

void TriviaScanner::skip_comment() {
  const std::uint32_t begin = at_;
  at_ = line_end(at_);
  comments_.push_back({{begin, at_}});
}

// In a verbatim tag, commas and brackets are ordinary characters: `!<tag:example.com,2000:x>`.
void TriviaScanner::skip_verbatim_tag(std::uint32_t end) {
  const std::size_t close = text_.find('>', at_);
  at_ = close < end ? static_cast<std::uint32_t>(close) + 1 : end;
  token_end_ = at_;
  after_comma_ = false;
}

bool TriviaScanner::scan_to(std::uint32_t end) {
  while (at_ < end) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || (c == '\t' && tabs_)) {
      ++at_;
    } else if (c == ':' || c == '-') {
      after_comma_ = false;
      token_end_ = ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (c == '\t') {
      report_tab(text_, at_, sink_);
      return false;
    } else if (c == '%' && is_line_start(text_, at_)) {
      skip_directive();
    } else if (const std::size_t length = break_length(text_, at_); length > 0) {
      at_ += static_cast<std::uint32_t>(length);
    } else if (text_.substr(at_, 2) == "!<") {
      skip_verbatim_tag(end);
    } else if (c == ',' && after_comma_) {
      sink_.report(diag::syntax_error, {at_, at_ + 1}, "missing value between two commas");
      return false;
    } else {
      after_comma_ = c == ',';
      token_end_ = ++at_;
    }
  }
  return true;
}

void TriviaScanner::skip_to(std::uint32_t end) {
  at_ = end;
  token_end_ = end;
  after_comma_ = false;
}

}  // namespace sparsecfg::doc
