#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "source/span.h"

namespace sparsecfg::source {

// The position of a byte for display. Both numbers count from 1; columns are in code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A line in a code cell of a notebook, and where it starts in the file.
struct CellLine {
  std::uint32_t offset = 0;
  std::uint32_t cell = 0;  // index among all cells
  std::uint32_t line = 0;  // from 1
};

// A revision of a file, whose text replaces that of the file on the disk.
struct View {
  std::string title;  // replaces the name in output: "HEAD~1:recipe.py"
  // Reads a file of the same revision. Returns its contents, or nullopt if the revision lacks it or it exceeds the
  // maximum size in bytes.
  std::function<std::optional<std::string>(const std::string& path, std::size_t max_bytes)> read;
};

// The text of one recipe and its line table. Not copyable or movable, so views into text() and references to the file
// stay valid during its lifetime.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  // Returns the path as given by the user, or the name for standard input.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Returns the name for output, which also states the revision.
  [[nodiscard]] const std::string& title() const { return view_ == nullptr ? name_ : view_->title; }

  // Sets the revision from which the text comes.
  void set_view(std::shared_ptr<const View> view) { view_ = std::move(view); }

  // Makes this the text of a part of a file: both have the same revision and other texts.
  void set_whole(const SourceFile& file) {
    view_ = file.view_;
    others_ = file.others_;
  }

  // Records the text of another file on which the meaning of this one depends, such as a module of a script.
  void add_other(const std::string& text) const { others_->insert(text); }

  // Returns the recorded texts.
  [[nodiscard]] const std::set<std::string>& others() const { return *others_; }

  // Returns null for a file on the disk.
  [[nodiscard]] const std::shared_ptr<const View>& view() const { return view_; }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::string_view text(Span span) const;

  // Returns the result of a function for the whole text. It is called once for each type of result.
  template <class Result>
  [[nodiscard]] std::shared_ptr<const Result> read_once(Result (*read)(std::string_view text)) const {
    std::shared_ptr<const void>& result = results_[typeid(Result)];
    if (result == nullptr) result = std::make_shared<const Result>(read(text_));
    return std::static_pointer_cast<const Result>(result);
  }

  // `offset` is from 0 to the size of the text. An offset inside a character belongs to that character. The cost does
  // not depend on the length of the line.
  [[nodiscard]] Position position(std::uint32_t offset) const;

  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

  // Returns the bytes of line `line` (from 1) without its line end.
  [[nodiscard]] Span line_span(std::uint32_t line) const;

  // Sets the lines of the cells of a notebook, sorted by offset.
  void set_cells(std::vector<CellLine> cells) { cells_ = std::move(cells); }

  // Returns the line of a cell that an offset is in; null if the file is not a notebook.
  [[nodiscard]] const CellLine* cell_at(std::uint32_t offset) const;

 private:
  // Returns the number of characters that start at or before `offset`. The end of the text counts as one.
  [[nodiscard]] std::uint32_t rank(std::uint32_t offset) const;

  std::string name_;
  std::shared_ptr<const View> view_;
  std::shared_ptr<std::set<std::string>> others_ = std::make_shared<std::set<std::string>>();
  std::string text_;
  mutable std::map<std::type_index, std::shared_ptr<const void>> results_;  // of read_once()
  std::vector<std::uint32_t> line_starts_;
  std::vector<std::uint32_t> characters_before_;  // number of characters before each block
  std::vector<CellLine> cells_;
};

}  // namespace sparsecfg::source
