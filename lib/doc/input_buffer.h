#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::doc {

// The text that the parser gets, and the way back from its marks to offsets of the file. As a rule
// it is the file's own text; where libyaml refuses what PyYAML takes, it is a copy with a
// character put in that changes no meaning.
class InputBuffer {
 public:
  // `text` begins at byte `offset` of the file.
  InputBuffer(std::string_view text, std::uint32_t offset);

  [[nodiscard]] std::string_view text() const { return copy_.empty() ? source_ : std::string_view(copy_); }

  // Puts `character` into the copy before what stands at each of the file's `offsets`, which ascend.
  void insert(const std::vector<std::uint32_t>& offsets, char character);
  // Puts `character` into the copy in place of the one-byte character at `offset` of the file. To
  // be called before any insert().
  void replace(std::uint32_t offset, char character);

  // The file's offset of the character with number `index`. Cheap where calls ask for indices near
  // each other, as the marks of a parser are.
  [[nodiscard]] std::uint32_t offset(std::size_t index);

 private:
  void make_copy();
  void move_to(std::size_t index);

  std::string_view source_;
  std::uint32_t begin_;
  bool ascii_;
  std::string copy_;
  std::vector<std::size_t> inserted_;  // positions in copy_, ascending
  std::size_t index_ = 0;              // the character that offset() was last asked for
  std::size_t byte_ = 0;               // and its place in text()
};

}  // namespace sparsecfg::doc
