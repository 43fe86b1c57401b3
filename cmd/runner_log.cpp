#include "cmd/runner_log.h"

#include <string_view>

namespace sparsecfg::cmd {

// The runner ignores white space at the start of a line, also in Unicode, so bytes beyond ASCII count as such.
static bool may_precede_command(char c) {
  return static_cast<unsigned char>(c) <= ' ' || static_cast<signed char>(c) < 0;
}

bool RunnerLog::completes_command(char c) {
  const bool annotation = before_ == Before::first_colon && c == ':' && !allows_annotations_;
  const bool command = hashes_ >= 2 && c == '[';
  const bool colon = before_ == Before::line_start && c == ':';
  const bool starts = c == '\n' || c == '\r' || (before_ == Before::line_start && may_precede_command(c));
  before_ = starts ? Before::line_start : colon ? Before::first_colon : Before::other;
  letters_ = hashes_ >= 2 && c >= 'a' && c <= 'z';
  hashes_ = letters_ ? hashes_ : c == '#' ? hashes_ + 1 : 0;
  return annotation || command;
}

std::streamsize RunnerLog::xsputn(const char* text, std::streamsize count) {
  std::streamsize begin = 0;
  const auto write = [&](const char* from, std::streamsize size) { return log_.sputn(from, size) == size; };
  for (std::streamsize at = 0; at < count; ++at) {
    if (!completes_command(text[at])) continue;
    constexpr std::string_view kColon = "\\u003a";
    constexpr std::string_view kBracket = "\\u005b";
    const std::string_view escape = text[at] == ':' ? kColon : kBracket;
    if (!write(text + begin, at - begin) || !write(escape.data(), static_cast<std::streamsize>(escape.size())))
      return at;
    begin = at + 1;
  }
  return write(text + begin, count - begin) ? count : begin;
}

RunnerLog::int_type RunnerLog::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const char c = traits_type::to_char_type(byte);
  return RunnerLog::xsputn(&c, 1) == 1 ? byte : traits_type::eof();
}

void allow_annotations(std::ostream& out) {
  if (auto* log = dynamic_cast<RunnerLog*>(out.rdbuf())) log->allow_annotations();
}

}  // namespace sparsecfg::cmd
