#include "doc/feed.h"

#include <algorithm>

namespace sparsecfg::doc {

static bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

static bool is_ascii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) {
    bits |= static_cast<unsigned char>(c);
  }
  return bits < 0x80;
}

Feed::Feed(std::string_view text, std::uint32_t offset) : source_(text), begin_(offset), ascii_(is_ascii(text)) {}

void Feed::make_copy() {
  if (copy_.empty()) {
    copy_ = source_;
  }
  index_ = 0;
  byte_ = 0;
}

std::size_t Feed::fed_position(std::uint32_t offset) const {
  std::size_t at = offset - begin_;
  for (const std::size_t inserted : inserted_) {
    at += inserted <= at ? 1 : 0;
  }
  return at;
}

void Feed::insert(std::uint32_t offset, char character) {
  make_copy();
  const std::size_t at = fed_position(offset);
  copy_.insert(at, 1, character);
  const auto after = std::ranges::lower_bound(inserted_, at);
  for (auto later = after; later != inserted_.end(); ++later) {
    ++*later;
  }
  inserted_.insert(after, at);
}

void Feed::replace(std::uint32_t offset, char character) {
  make_copy();
  copy_[fed_position(offset)] = character;
}

void Feed::move_to(std::size_t index) {
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

std::uint32_t Feed::offset(std::size_t index) {
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
