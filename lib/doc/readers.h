#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::doc {

// Bad input costs an error, never more than a second: each limit that is passed is SP014.
struct Limits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 128;      // of nested collections, counted while events arrive
  std::size_t nodes = 100'000;  // after every alias is replaced by what it stands for
  std::size_t scalar_bytes = std::size_t{64} << 10;
};

// Reads the one YAML 1.1 document (JSON is YAML) that stands in `part` of the file into a tree,
// accepting what PyYAML's pure loader accepts: what only libyaml takes is refused too. Spans and
// positions are those of the whole file. Returns nothing where no tree can be had (not UTF-8, a
// syntax error, a limit, a second document); one error in the sink then says why. An empty
// document gives a tree whose root is an empty plain scalar (PyYAML's None), without a report.
// Repeated keys, anchors that hide others and the like are kept for the reader to check.
[[nodiscard]] std::optional<Document> read_yaml(const source::SourceFile& file, source::Span part, const Limits& limits,
                                                diag::Sink& sink);

// Reports the first place where a file whose name ends in `.json` is not JSON (SP001), for frameworks that read such a
// file as JSON, which is much less than YAML. `NaN`, `Infinity` and halves of characters count as JSON, as in Python; a
// text with one of them is accepted as a whole.
void check_json(const source::SourceFile& file, diag::Sink& sink);

// Marks of what YAML has no form for.
inline constexpr std::string_view kScriptTag = "!python-script";      // the root
inline constexpr std::string_view kTupleTag = "!python-tuple";        // a sequence that is not a list: a tuple or a set
inline constexpr std::string_view kNotLiteralTag = "!not-a-literal";  // a scalar in place of an expression
inline constexpr std::string_view kChangeTag = "!change";  // outside of the root: the key of a list that is changed

// The literals that a Python script assigns to names, as one mapping: all of its top level, of a name
// that is assigned again the last value, and lists wherever they stand, each by itself. The second
// list of a name has the key `name:12`, with the line. Nothing is run. An expression within a literal
// becomes a scalar that says so; a statement that changes a list later on leaves a node of its own.
// Everything else is passed over. Null, after a report, where the text can't be read at all.
[[nodiscard]] std::optional<Document> read_python(const source::SourceFile& file, const Limits& limits,
                                                  diag::Sink& sink);

// Where a Markdown recipe holds its YAML.
struct FrontMatter {
  source::Span opening;  // the delimiter that opens it
  source::Span yaml;     // the text between the delimiters
  source::Span closing;  // the delimiter that closes it
};

// SparseML's rule (reference A.2): white space at the start of any line, then `---` or `+++`,
// then the shortest text up to the next `---` or `+++` anywhere, even inside a comment. Nothing
// where no such pair stands in `text`.
[[nodiscard]] std::optional<FrontMatter> find_front_matter(std::string_view text);

}  // namespace sparsecfg::doc
