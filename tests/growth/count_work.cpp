// Counts work that does not depend on the machine: comparisons of memory, bytes copied and searched, and allocations.
// Preloaded into a program, it appends the counts to the file that GROWTH_COUNTS names when the program ends. The
// functions replace those of the C library and of the C++ runtime, so the program is measured as it is.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

using Counter = std::atomic<unsigned long long>;

Counter comparisons;
Counter copied;
Counter searched;
Counter allocations;
Counter allocated;

// Writes the counts at the end of the program.
struct Report {
  ~Report() {
    const char* path = std::getenv("GROWTH_COUNTS");
    if (path == nullptr) return;
    char line[200];
    const int size = std::snprintf(line, sizeof line, "%llu %llu %llu %llu %llu\n", comparisons.load(), copied.load(),
                                   searched.load(), allocations.load(), allocated.load());
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, static_cast<std::size_t>(size)) != size) _exit(99);
    close(file);
  }
} report;

}  // namespace

// Bytes are volatile, so that the compiler does not turn a loop into a call of the function that contains it.
using Byte = volatile unsigned char;
using ConstByte = const volatile unsigned char;

extern "C" {

int memcmp(const void* a, const void* b, std::size_t size) {
  const auto* x = static_cast<ConstByte*>(a);
  const auto* y = static_cast<ConstByte*>(b);
  comparisons += 1 + size / 64;
  for (std::size_t at = 0; at < size; ++at) {
    if (x[at] != y[at]) return x[at] < y[at] ? -1 : 1;
  }
  return 0;
}

int bcmp(const void* a, const void* b, std::size_t size) { return memcmp(a, b, size); }

void* memmove(void* to, const void* from, std::size_t size) {
  auto* x = static_cast<Byte*>(to);
  const auto* y = static_cast<ConstByte*>(from);
  copied += size;
  if (x < y || x >= y + size) {
    for (std::size_t at = 0; at < size; ++at) x[at] = y[at];
  } else {
    for (std::size_t at = size; at-- > 0;) x[at] = y[at];
  }
  return to;
}

void* memcpy(void* to, const void* from, std::size_t size) { return memmove(to, from, size); }

void* memchr(const void* text, int c, std::size_t size) {
  const auto* x = static_cast<ConstByte*>(text);
  std::size_t at = 0;
  while (at < size && x[at] != static_cast<unsigned char>(c)) ++at;
  searched += at;
  return at < size ? const_cast<unsigned char*>(static_cast<const unsigned char*>(text)) + at : nullptr;
}

}  // extern "C"

void* operator new(std::size_t size) {
  ++allocations;
  allocated += size;
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}

void* operator new[](std::size_t size) { return operator new(size); }

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete[](void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
