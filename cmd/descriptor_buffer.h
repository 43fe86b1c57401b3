#pragma once

#include <memory>
#include <streambuf>

namespace sparsecfg::cmd {

// The buffer of a stream that reads from a descriptor or writes to it. Its room is taken when something is read or
// written: the buffers of std::cin, std::cout and the others take 120 KiB that most runs never need.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

  ~DescriptorBuffer() override;

 protected:
  int_type underflow() override;
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  void make_room();

  int descriptor_;
  std::unique_ptr<char[]> room_;
};

}  // namespace sparsecfg::cmd
