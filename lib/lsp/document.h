#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "compile.h"
#include "dialect/dialect.h"
#include "doc/document.h"
#include "lsp/text.h"
#include "project/project.h"

namespace sparsecfg::lsp {

// What was read of one text of a document.
struct Reading {
  Compilation compilation;                    // with a recipe
  std::optional<doc::Document> tree;          // made when it is asked for
  const dialect::Dialect* dialect = nullptr;  // null if it is no recipe
};

// An open document.
class Document {
 public:
  Document(std::string uri, std::string path, std::string text);

  [[nodiscard]] const std::string& uri() const { return uri_; }

  // The name under which it is read: the path of a file, or a name with the usual ending for a text without one.
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] const Text& text() const { return text_; }

  // The version that the editor gave to the text; nullopt if it gave none.
  std::optional<std::int64_t> version;

  // Changes the text. What was read of it before stays the last reading that succeeded.
  void replace_all(std::string text);
  void replace(Range range, std::string_view text);

  // Reads the text if it was not read since it changed.
  void read(const CompileOptions& options);

  // Reads again, because the options changed.
  void forget() { is_read_ = false; }

  // The findings on the text as it is, before any are left out. Empty before read().
  [[nodiscard]] const std::vector<diag::Diagnostic>& findings() const { return findings_; }

  // The last reading that gave a recipe, of this text or of an earlier one; null if there was none.
  [[nodiscard]] const Reading* good();

  // Returns true if that is a reading of the text as it is.
  [[nodiscard]] bool is_current() const { return good_ && is_good_current_; }

  // Places in the last good reading as places in the text as it is, and the other way round: what stands before or
  // behind all that was changed since has moved, nullopt for what was changed itself.
  [[nodiscard]] std::optional<source::Span> to_text(source::Span good) const;
  [[nodiscard]] std::optional<std::uint32_t> to_good(std::uint32_t offset) const;

 private:
  void keep(Compilation compilation);

  std::string uri_;
  std::string path_;
  Text text_;
  bool is_read_ = false;
  doc::Limits limits_;
  std::vector<diag::Diagnostic> findings_;
  std::unique_ptr<Reading> good_;
  bool is_good_current_ = false;
  Difference since_good_;  // from the text of the last good reading to the text as it is
};

// Reads a text into a tree as compile() does; nullopt if that is impossible.
[[nodiscard]] std::optional<doc::Document> read_tree(const source::SourceFile& file, const doc::Limits& limits);

}  // namespace sparsecfg::lsp
