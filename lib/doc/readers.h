#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/source_file.h"
#include "source/span.h"

namespace sparsecfg::doc {

// Limits that keep the time for any input below a second. Exceeding one is reported as SP014.
struct Limits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 128;      // of nested collections, counted during parsing
  std::size_t nodes = 100'000;  // after expanding aliases
  std::size_t scalar_bytes = std::size_t{64} << 10;
};

// Reads the single YAML 1.1 document (JSON is YAML) in `part` of the file into a tree. Accepts what PyYAML's
// pure-Python loader accepts; rejects what only libyaml accepts. Spans and positions refer to the whole file. Returns
// nullopt after reporting one error: not UTF-8, a syntax error, an exceeded limit or a second document. An empty
// document is a tree whose root is an empty plain scalar (None in PyYAML), without a report. The caller checks repeated
// keys and similar faults.
[[nodiscard]] std::optional<Document> read_yaml(const source::SourceFile& file, source::Span part, const Limits& limits,
                                                diag::Sink& sink);

// Reports the first place where a file named `.json` is not valid JSON (SP001), for frameworks that parse such files as
// JSON. Like Python, accepts `NaN`, `Infinity` and lone surrogates; a file that contains one of them is not checked
// further.
void check_json(const source::SourceFile& file, diag::Sink& sink);

// Tags for constructs that YAML does not have.
inline constexpr std::string_view kScriptTag = "!python-script";      // the root
inline constexpr std::string_view kTupleTag = "!python-tuple";        // a sequence that is not a list: a tuple or a set
inline constexpr std::string_view kNotLiteralTag = "!not-a-literal";  // a scalar in place of an unknown value

// Returns the places of all nodes with a tag.
[[nodiscard]] std::set<source::Span> places_with(const Document& document, std::string_view tag);

// The YAML block of a Markdown recipe.
struct FrontMatter {
  source::Span opening;  // opening delimiter
  source::Span yaml;     // text between the delimiters
  source::Span closing;  // closing delimiter
};

// Returns true for the name of a Markdown file: it ends in `.md` or `.mdx`.
[[nodiscard]] bool is_markdown(std::string_view name);

// Finds the front matter by SparseML's rule (docs/semantics/sparseml.md#a1-4): white space at the start of any line,
// then `---` or `+++`, then the shortest text up to the next `---` or `+++` anywhere, even inside a comment. Returns
// nullopt if `text` has no such pair.
[[nodiscard]] std::optional<FrontMatter> find_front_matter(std::string_view text);

// Reports a closing delimiter that is not at the start of its line (SP009): it was probably not meant as a delimiter.
// Returns true if it is one.
bool report_early_closing(const source::SourceFile& file, const FrontMatter& front, diag::Sink& sink);

// Returns true if a line of invalid YAML begins a modifier, a group or a stage.
[[nodiscard]] bool has_line_of_recipe(std::string_view text);

// Returns where the lines that can be YAML end, from `begin`. Headings of Markdown are comments of YAML.
[[nodiscard]] std::uint32_t end_of_yaml(std::string_view text, std::uint32_t begin);

}  // namespace sparsecfg::doc
