#include "cmd/descriptor_buffer.h"

#include <poll.h>
#include <unistd.h>

#include <ios>

#include "platform/files.h"

namespace sparsecfg::cmd {

constexpr std::streamsize kBufferSize = 16384;

DescriptorBuffer::~DescriptorBuffer() { static_cast<void>(DescriptorBuffer::sync()); }

void DescriptorBuffer::make_room() {
  if (room_ == nullptr) room_ = std::make_unique_for_overwrite<char[]>(kBufferSize);
}

// Throws on a read error, which sets the badbit of the stream, as with std::cin.
// Returns 1 if a read would not block, as `in_avail` asks.
std::streamsize DescriptorBuffer::showmanyc() {
  pollfd waiting{descriptor_, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0 ? 1 : 0;
}

DescriptorBuffer::int_type DescriptorBuffer::underflow() {
  make_room();
  const ssize_t count = platform::uninterrupted([&] { return ::read(descriptor_, room_.get(), kBufferSize); });
  if (count < 0) throw std::ios_base::failure("cannot read from a file descriptor");
  setg(room_.get(), room_.get(), room_.get() + count);
  return count == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type byte) {
  make_room();
  if (sync() != 0) return traits_type::eof();
  setp(room_.get(), room_.get() + kBufferSize);
  if (!traits_type::eq_int_type(byte, traits_type::eof())) sputc(traits_type::to_char_type(byte));
  return traits_type::not_eof(byte);
}

// Writes data that is larger than the buffer directly.
std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize count) {
  if (count < kBufferSize) return std::streambuf::xsputn(text, count);
  return sync() == 0 && platform::write_all(descriptor_, {text, static_cast<std::size_t>(count)}) == 0 ? count : 0;
}

int DescriptorBuffer::sync() {
  const int error = platform::write_all(descriptor_, {pbase(), pptr()});
  setp(pbase(), epptr());
  return error == 0 ? 0 : -1;
}

}  // namespace sparsecfg::cmd
