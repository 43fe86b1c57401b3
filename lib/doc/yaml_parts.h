#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "diag/fix.h"
#include "diag/sink.h"
#include "doc/event_reader.h"
#include "doc/input_buffer.h"
#include "doc/readers.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::doc {

// Returns true if PyYAML would start parsing `part` of the file: its size, encoding and characters are valid. Otherwise
// reports one error. Warns of characters that are skipped or invisible.
[[nodiscard]] bool check_text(const source::SourceFile& file, source::Span part, const Limits& limits,
                              diag::Sink& sink);

// Returns the part without a byte-order mark at the beginning of the file.
[[nodiscard]] source::Span without_mark(const source::SourceFile& file, source::Span part);

enum class Directives : std::uint8_t {
  none,     // no directives, or only %TAG lines, which libyaml handles
  hidden,   // replaced by comments in the feed; a `---` must follow
  refused,  // rejected by PyYAML; reported
};

// Checks the directives and hides them from libyaml. PyYAML accepts every %YAML line of version 1 and ignores unknown
// directives; libyaml rejects both. `text` is the file up to the end of the part being read, which begins at `begin`.
[[nodiscard]] Directives hide_directives(std::string_view text, std::uint32_t begin, InputBuffer& feed,
                                         diag::Sink& sink);

// Spans of the tag and the anchor before the content of a node. Empty if absent.
struct Properties {
  source::Span tag;
  source::Span anchor;
  // Reason why PyYAML reads the tag differently or rejects it; empty if it does neither.
  std::string_view problem;
};

// Reads `&anchor` and `!tag` in either order in `text` from `begin` to `end`. White space, comments and line breaks may
// separate them.
[[nodiscard]] Properties find_properties(std::string_view text, std::uint32_t begin, std::uint32_t end);

// Skips white space, comments and line breaks from `at`.
[[nodiscard]] std::uint32_t skip_trivia(std::string_view text, std::uint32_t at);

// Returns a fix that replaces tabs in indentation with spaces. If lines are indented only with tabs, each tab becomes
// two spaces. Otherwise the depth of a tab is unknown, so a line with tabs moves to the column of the previous line,
// which is an unsafe fix. Returns no fix if the tab at `at` is not indentation.
[[nodiscard]] diag::Fix spaces_for_tabs(std::string_view text, std::uint32_t at);

// Repairs the feed where libyaml stopped at text that PyYAML accepts: inserts characters so that libyaml reads the same
// meaning, from that position as far as this is certain. Returns false if PyYAML rejects the text as well. `text` is
// the file up to the end of the part being read.
[[nodiscard]] bool repair(std::string_view text, const Problem& problem, InputBuffer& feed);

// Reports the syntax error in our own words. `text` is the file up to the end of the part being read, `open_bracket`
// the innermost open bracket. `after_document` is true if the document was already complete.
void report_problem(std::string_view text, const Problem& problem, std::optional<std::uint32_t> open_bracket,
                    bool after_document, diag::Sink& sink);

}  // namespace sparsecfg::doc
