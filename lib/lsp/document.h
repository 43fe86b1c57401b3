#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "compile/compile.h"
#include "dialect/dialect.h"
#include "doc/document.h"
#include "lsp/protocol.h"
#include "lsp/text.h"
#include "lsp/tree.h"
#include "lsp/words.h"
#include "project/project.h"

namespace sparsecfg::lsp {

// Result of compiling one version of a document.
struct Reading {
  Compilation compilation;                    // contains a recipe
  std::optional<doc::Document> tree;          // parsed on first use
  std::optional<NodeSpans> spans;             // of `tree`
  std::optional<Schedule> schedule;           // computed on first use
  bool is_followed = false;                   // true if `schedule` was computed; the result can be empty
  const dialect::Dialect* dialect = nullptr;  // null if the document is not a recipe
};

// An open document.
class Document {
 public:
  Document(std::string uri, std::string path, std::string text);

  [[nodiscard]] const std::string& uri() const { return uri_; }

  // Returns the file name for the compiler: the path, or a name with the usual extension for unsaved documents.
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] const Text& text() const { return text_; }

  // Version of the text according to the editor; nullopt if unknown.
  std::optional<std::int64_t> version;

  // Change the text. The last successful reading stays available.
  void replace_all(std::string text);
  void replace(Range range, std::string_view text);

  // Compiles the text if it has changed since the last call.
  void read(const CompileOptions& options);

  // Makes the next read() compile again, because the options changed.
  void forget();

  // Returns the unfiltered findings in the current text. Empty before read().
  [[nodiscard]] const std::vector<diag::Diagnostic>& findings() const { return findings_; }

  // Returns the last reading with a recipe, of the current or an earlier text, or null. Its tree may be missing.
  [[nodiscard]] const Reading* reading() const { return good_.get(); }

  // Does the same, with the tree. Parsing a large text takes as long as a part of compiling it.
  [[nodiscard]] const Reading* good();

  // Returns the schedule of good(), or null. Computed once for each reading.
  [[nodiscard]] const Schedule* schedule(const project::FileOptions& options);

  // Cached answers about the whole text, which are as slow as compiling it. Reset if the text or the options change.
  std::optional<Json> fix_all;  // null if all findings lack a safe fix
  std::optional<Json> formatting;
  // The text compiled with the options of quick fixes, whose tested fixes are removed if they failed.
  std::optional<Compilation> with_tested_fixes;

  // Returns true if the current text could be parsed: it has a recipe, or a script with recipes.
  [[nodiscard]] bool was_read() const { return is_current() || !found_.empty(); }

  // Returns the recipes in the current text of a script or a page. Their spans are places in the text.
  [[nodiscard]] const std::vector<ir::FoundRecipe>& found() const { return found_; }

  [[nodiscard]] const dialect::Dialect* dialect_of_found() const;

  // Returns true if good() is a reading of the current text.
  [[nodiscard]] bool is_current() const { return good_ && is_good_current_; }

  // Convert positions in the last good reading to positions in the current text, and vice versa. Positions before and
  // after the changed part are shifted. Returns nullopt for positions in the changed part.
  [[nodiscard]] std::optional<source::Span> to_text(source::Span good) const;
  [[nodiscard]] std::optional<std::uint32_t> to_good(std::uint32_t offset) const;

 private:
  void keep(Compilation compilation);
  void invalidate();

  std::string uri_;
  std::string path_;
  Text text_;
  bool is_read_ = false;
  doc::Limits limits_;
  std::vector<diag::Diagnostic> findings_;
  std::vector<ir::FoundRecipe> found_;
  std::unique_ptr<Reading> good_;
  bool is_good_current_ = false;
  Difference since_good_;  // difference from the text of the last good reading to the current text
};

// Parses a file to a tree as compile() does. Returns nullopt on failure.
[[nodiscard]] std::optional<doc::Document> read_tree(const source::SourceFile& file, const doc::Limits& limits);

}  // namespace sparsecfg::lsp
