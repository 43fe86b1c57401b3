#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "diag/fix.h"
#include "diag/sink.h"
#include "doc/event.h"
#include "doc/input_buffer.h"
#include "doc/readers.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::doc {

// Returns true if PyYAML would begin to read `part` of the file at all: its size, its encoding and its
// characters. Reports one error where not, and warns of what is read past or hides from the eye.
[[nodiscard]] bool check_text(const source::SourceFile& file, source::Span part, const Limits& limits,
                              diag::Sink& sink);

// The part without the byte-order mark that may begin the file.
[[nodiscard]] source::Span without_mark(const source::SourceFile& file, source::Span part);

enum class Directives : std::uint8_t {
  none,     // or none but %TAG lines, which are left to libyaml
  hidden,   // made comments of in the feed; a `---` must follow them
  refused,  // by PyYAML too; the reason is in the sink
};

// PyYAML takes every %YAML line of version 1 and passes over directives that it does not know,
// while libyaml refuses both; so they are checked here and hidden from it. `text` is the file's
// up to the end of the part that is read, which begins at `begin`.
[[nodiscard]] Directives hide_directives(std::string_view text, std::uint32_t begin, InputBuffer& feed,
                                         diag::Sink& sink);

// Where the tag and the anchor before a node's content stand; empty spans for what is not there.
struct Properties {
  source::Span tag;
  source::Span anchor;
  // Why PyYAML reads the tag as another one or refuses it; empty where it does neither.
  std::string_view problem;
};

// Reads `&anchor` and `!tag`, in either order, with blanks, comments and line ends between them,
// in `text` from `begin` to `end`.
[[nodiscard]] Properties find_properties(std::string_view text, std::uint32_t begin, std::uint32_t end);

// Past the blanks, comments and line ends from `at` on.
[[nodiscard]] std::uint32_t skip_room(std::string_view text, std::uint32_t at);

// Spaces for the tabs that lines are indented with. Where nothing else indents a line each tab becomes two
// of them; beside spaces it is not known how deep a tab goes, so a line with tabs is moved to where the
// one before it begins, and that is a guess. No fix where the tab at `at` indents nothing.
[[nodiscard]] diag::Fix spaces_for_tabs(std::string_view text, std::uint32_t at);

// Where libyaml stopped at something that PyYAML takes, puts into the feed what makes libyaml take
// it too with the same meaning, from that place on as far as it is sure. False where PyYAML
// refuses it as well. `text` is the file's up to the end of the part that is read.
[[nodiscard]] bool repair(std::string_view text, const Problem& problem, InputBuffer& feed);

// Says in our words why the text is not YAML. `text` is the file's up to the end of the part that
// is read; `open_bracket` is the innermost bracket still open, `after_document` whether the
// document was complete before.
void report_problem(std::string_view text, const Problem& problem, std::optional<std::uint32_t> open_bracket,
                    bool after_document, diag::Sink& sink);

}  // namespace sparsecfg::doc
