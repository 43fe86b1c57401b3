#include "cmd/descriptor_buffer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>

namespace sparsecfg::cmd {

namespace {

// A file without a name.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile()) {}

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ~Scratch() { std::fclose(file_); }

  [[nodiscard]] int descriptor() const { return fileno(file_); }

  [[nodiscard]] std::string text() const {
    ::lseek(descriptor(), 0, SEEK_SET);
    DescriptorBuffer buffer(descriptor());
    std::istream in(&buffer);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::FILE* file_;
};

}  // namespace

TEST_CASE("small and large texts are written in their order", "[descriptor_buffer]") {
  const Scratch file;
  const std::string large(40'000, 'x');
  {
    DescriptorBuffer buffer(file.descriptor());
    std::ostream out(&buffer);
    for (int number = 0; number < 5'000; ++number) out << number << '\n';
    out << large << "end";
  }
  std::string expected;
  for (int number = 0; number < 5'000; ++number) expected += std::to_string(number) + "\n";
  CHECK(file.text() == expected + large + "end");
}

TEST_CASE("what was written is there after a flush", "[descriptor_buffer]") {
  const Scratch file;
  DescriptorBuffer buffer(file.descriptor());
  std::ostream out(&buffer);
  out << "a";
  CHECK(file.text().empty());
  out.flush();
  CHECK(file.text() == "a");
}

TEST_CASE("a text that fills the room to the last byte is written once", "[descriptor_buffer]") {
  const Scratch file;
  DescriptorBuffer buffer(file.descriptor());
  std::ostream out(&buffer);
  out << std::string(16'383, 'a') << 'b' << 'c' << std::flush;
  CHECK(file.text() == std::string(16'383, 'a') + "bc");
}

TEST_CASE("a stream on a full device turns bad", "[descriptor_buffer]") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) return;
  {
    DescriptorBuffer buffer(full);
    std::ostream out(&buffer);
    out << "a" << std::flush;
    CHECK(out.bad());
  }
  ::close(full);
}

TEST_CASE("a stream on a folder turns bad, an empty one ends", "[descriptor_buffer]") {
  const int folder = ::open("/", O_RDONLY | O_CLOEXEC);
  DescriptorBuffer buffer(folder);
  std::istream in(&buffer);
  std::array<char, 4> room{};
  in.read(room.data(), room.size());
  CHECK(in.bad());
  ::close(folder);
  CHECK(Scratch().text().empty());
}

}  // namespace sparsecfg::cmd
