#include "doc/input_buffer.h"

#include <algorithm>

namespace sparsecfg::doc {

static bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Processes blocks of fixed size, which the compiler vectorizes.
static bool is_ascii(std::string_view text) {
  constexpr std::size_t kBlock = 64;
  unsigned char bits = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    for (std::size_t at = 0; at < kBlock; ++at) bits |= static_cast<unsigned char>(text[at]);
  }
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

InputBuffer::InputBuffer(std::string_view text, std::uint32_t offset)
    : source_(text), begin_(offset), ascii_(is_ascii(text)) {}

void InputBuffer::make_copy() {
  if (copy_.empty()) {
    copy_ = source_;
  }
  index_ = 0;
  byte_ = 0;
}

void InputBuffer::insert(const std::vector<std::uint32_t>& offsets, char character) {
  make_copy();
  std::string copy;
  copy.reserve(copy_.size() + offsets.size());
  std::vector<std::size_t> inserted;
  auto earlier = inserted_.begin();
  auto offset = offsets.begin();
  for (std::size_t at = 0; at < copy_.size(); ++at) {
    if (earlier != inserted_.end() && *earlier == at) {
      inserted.push_back(copy.size());
      ++earlier;
    } else if (offset != offsets.end() &&
               *offset - begin_ + static_cast<std::size_t>(earlier - inserted_.begin()) == at) {
      inserted.push_back(copy.size());
      copy += character;
      ++offset;
    }
    copy += copy_[at];
  }
  copy_ = std::move(copy);
  inserted_ = std::move(inserted);
}

void InputBuffer::replace(std::uint32_t offset, char character) {
  make_copy();
  copy_[offset - begin_] = character;
}

void InputBuffer::move_to(std::size_t index) {
  const std::string_view fed = text();
  for (; index_ < index && byte_ < fed.size(); ++index_) {
    do {
      ++byte_;
    } while (byte_ < fed.size() && continues_character(fed[byte_]));
  }
  for (; index_ > index; --index_) {
    do {
      --byte_;
    } while (byte_ > 0 && continues_character(fed[byte_]));
  }
}

std::uint32_t InputBuffer::offset(std::size_t index) {
  std::size_t at = index;
  if (!ascii_) {
    move_to(index);
    at = byte_;
  }
  if (!inserted_.empty()) {
    at -= static_cast<std::size_t>(std::ranges::lower_bound(inserted_, at) - inserted_.begin());
  }
  return begin_ + static_cast<std::uint32_t>(std::min(at, source_.size()));
}

}  // namespace sparsecfg::doc
