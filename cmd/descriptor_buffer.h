#pragma once

#include <memory>
#include <streambuf>

namespace sparsecfg::cmd {

// Stream buffer that reads from or writes to a file descriptor. The buffer is allocated at the first read or write. The
// buffers of std::cin, std::cout and std::cerr would occupy 120 KiB that most runs never need.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

  ~DescriptorBuffer() override;

 protected:
  int_type underflow() override;
  std::streamsize showmanyc() override;
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  void make_room();

  int descriptor_;
  std::unique_ptr<char[]> room_;
};

}  // namespace sparsecfg::cmd
