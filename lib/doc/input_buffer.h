#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::doc {

// The parser input, with a mapping from parser marks to file offsets. Normally it is the text of the file. If PyYAML
// accepts text that libyaml rejects, it is a copy with inserted characters that do not change the meaning.
class InputBuffer {
 public:
  // `text` begins at byte `offset` of the file.
  InputBuffer(std::string_view text, std::uint32_t offset);

  [[nodiscard]] std::string_view text() const { return copy_.empty() ? source_ : std::string_view(copy_); }

  // Inserts `character` into the copy before each of the file offsets, which must be ascending.
  void insert(const std::vector<std::uint32_t>& offsets, char character);
  // Replaces the one-byte character at file offset `offset` in the copy. Must be called before insert().
  void replace(std::uint32_t offset, char character);

  // Returns the file offset of the character with number `index`. Fast if successive indices are near each other, like
  // parser marks.
  [[nodiscard]] std::uint32_t offset(std::size_t index);

 private:
  void make_copy();
  void move_to(std::size_t index);

  std::string_view source_;
  std::uint32_t begin_;
  bool ascii_;
  std::string copy_;
  std::vector<std::size_t> inserted_;  // positions in copy_, ascending
  std::size_t index_ = 0;              // character index of the last offset() call
  std::size_t byte_ = 0;               // its byte position in text()
};

}  // namespace sparsecfg::doc
