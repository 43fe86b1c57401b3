#include "doc/yaml_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "doc/characters.h"

namespace sparsecfg::doc {

source::Span without_mark(const source::SourceFile& file, source::Span part) {
  const bool marked = part.begin == 0 && file.text(part).starts_with(kByteOrderMark);
  return {part.begin + (marked ? std::uint32_t{kByteOrderMark.size()} : 0), part.end};
}

static bool check_size(const source::SourceFile& file, const Limits& limits, diag::Sink& sink) {
  const std::size_t size = file.text().size();
  if (size <= limits.bytes) {
    return true;
  }
  sink.report(diag::limits_exceeded, {0, 0}, fmt::format("the file has {} bytes; the limit is {}", size, limits.bytes))
      .with_help("raise the limit with `--max-size`");
  return false;
}

// Checks the encoding of a part of a text. Only the beginning of the file can have a byte-order mark.
static bool check_encoding(std::string_view text, source::Span part, diag::Sink& sink) {
  using namespace std::string_view_literals;
  const bool utf32 = text.starts_with("\0\0\xFE\xFF"sv) || text.starts_with("\xFF\xFE\0\0"sv);
  if (utf32 || text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) {
    const std::string_view name = utf32 ? "UTF-32" : "UTF-16";
    sink.report(diag::not_utf8, {0, 2},
                fmt::format("the file begins with a {} byte-order mark; it must be UTF-8", name))
        .with_help("save the file as UTF-8");
    return false;
  }
  const std::size_t valid = base::find_invalid_utf8(text.substr(part.begin, part.end - part.begin));
  const std::uint32_t bad = part.begin + static_cast<std::uint32_t>(valid);
  if (bad == part.end) {
    return true;
  }
  const auto byte = static_cast<unsigned char>(text[bad]);
  sink.report(diag::not_utf8, {bad, bad + 1},
              fmt::format("the byte 0x{:02X} at offset {} is not valid UTF-8", byte, bad))
      .with_help("save the file as UTF-8");
  return false;
}

// Returns true if PyYAML's reader rejects the character.
static bool is_refused(char32_t c) {
  const bool printable = c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
                         (c >= 0xA0 && c <= 0xFFFD) || c >= 0x10000;
  return !printable;
}

static bool is_hidden(char32_t c) { return c != '\t' && c != '\n' && c != '\r' && c != 0x85 && base::is_unsafe(c); }

// Returns true for a byte-order mark at the beginning of a later line, as left by concatenating files. PyYAML makes it
// the first letter of a key and does not count it as a column; libyaml drops it but counts it.
static bool is_inner_mark(std::string_view text, source::Span part, std::uint32_t at) {
  return text.substr(at).starts_with(kByteOrderMark) && (at == part.begin || is_line_start(text, at));
}

// Deletes all occurrences of a character in `part`. It is reported only once, and text in a right-to-left script may
// contain thousands of one mark. One fix deletes up to a thousand.
static diag::Fix without(char32_t character, std::string_view text, source::Span part) {
  constexpr std::size_t kMaxEdits = 1'000;
  diag::Fix fix = diag::Fix::unsafe();
  for (std::size_t at = part.begin; at < part.end && fix.edits.size() < kMaxEdits;) {
    const auto begin = static_cast<std::uint32_t>(at);
    if (base::next_code_point(text, at) == character) fix.replace({begin, static_cast<std::uint32_t>(at)}, "");
  }
  return fix;
}

static std::string name_of(char32_t c) { return fmt::format("U+{:04X}", static_cast<unsigned>(c)); }

static bool check_characters(std::string_view text, source::Span part, diag::Sink& sink) {
  std::vector<char32_t> seen;
  for (std::size_t at = part.begin; at < part.end;) {
    const auto start = static_cast<std::uint32_t>(at);
    const char32_t c = base::next_code_point(text, at);
    const source::Span span{start, static_cast<std::uint32_t>(at)};
    const bool inner_mark = is_inner_mark(text, part, start);
    if (is_refused(c) || inner_mark) {
      sink.report(diag::control_character, span, name_of(c),
                  inner_mark ? "is a byte-order mark, allowed only at the start of a file"
                             : "is a control character, which PyYAML rejects")
          .with_fix(without(c, text, part));
      return false;
    }
    if (is_hidden(c) && std::ranges::find(seen, c) == seen.end()) {
      seen.push_back(c);
      sink.report(diag::control_character, span, name_of(c), "is invisible, but becomes part of the loaded text")
          .with_severity(diag::Severity::warning)
          .with_fix(without(c, text, part));
    }
  }
  return true;
}

static void warn_of_lone_cr(std::string_view text, source::Span part, diag::Sink& sink) {
  constexpr std::size_t kMaxEdits = 10'000;  // per pass
  diag::Fix fix = diag::Fix::safe();
  const std::string_view before_end = text.substr(0, part.end);
  for (std::size_t at = before_end.find('\r', part.begin); at < part.end && fix.edits.size() < kMaxEdits;
       at = before_end.find('\r', at + 1)) {
    const auto begin = static_cast<std::uint32_t>(at);
    if (at + 1 == text.size() || text[at + 1] != '\n') fix.replace({begin, begin + 1}, "\n");
  }
  if (!fix.edits.empty()) {
    const source::Span first = fix.edits.front().span;
    sink.report(diag::bom_or_cr, first, "this line ends in a carriage return without a line feed")
        .with_fix(std::move(fix));
  }
}

static unsigned char is_special(char c) {
  const bool printable = (c >= 0x20) & (c <= 0x7E);
  return static_cast<unsigned char>(!(printable | (c == '\n') | (c == '\t')));
}

// Most files contain only printable ASCII, tabs and line feeds. A branch-free pass over blocks of fixed size is
// vectorized and detects this fastest.
static bool is_plain_ascii(std::string_view text) {
  constexpr std::size_t kBlock = 64;
  unsigned char special = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    for (std::size_t at = 0; at < kBlock; ++at) special |= is_special(text[at]);
  }
  for (const char c : text) special |= is_special(c);
  return special == 0;
}

// Returns true for a whole file and for its front matter. A framework decodes the whole file to read them.
static bool begins_file(std::string_view text, source::Span part) {
  using namespace std::string_view_literals;
  return text.substr(0, part.begin).find_first_not_of("\xEF\xBB\xBF- \t\r\n"sv) == std::string_view::npos;
}

bool check_text(const source::SourceFile& file, source::Span part, const Limits& limits, diag::Sink& sink) {
  const std::string_view text = file.text();
  if (!check_size(file, limits, sink)) {
    return false;
  }
  const bool first = begins_file(text, part);
  const source::Span decoded = first ? source::Span{0, static_cast<std::uint32_t>(text.size())} : part;
  if (is_plain_ascii(file.text(decoded))) {
    return true;
  }
  const source::Span readable = without_mark(file, part);
  if (!check_encoding(text, decoded, sink) || !check_characters(text, readable, sink)) {
    return false;
  }
  if (first && text.starts_with(kByteOrderMark)) {
    sink.report(diag::bom_or_cr, {0, std::uint32_t{kByteOrderMark.size()}}, "the file begins with a byte-order mark")
        .with_fix(diag::Fix::safe().replace({0, std::uint32_t{kByteOrderMark.size()}}, ""));
  }
  warn_of_lone_cr(text, readable, sink);
  return true;
}

}  // namespace sparsecfg::doc
