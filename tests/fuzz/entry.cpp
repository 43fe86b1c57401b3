// libFuzzer's functions. SPARSECFG_FUZZ_TARGET names the target, `recipe` if it is not set.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/targets.h"

using sparsecfg::fuzz::Target;

static const Target& chosen_target() {
  const char* name = std::getenv("SPARSECFG_FUZZ_TARGET");
  const auto all = sparsecfg::fuzz::targets();
  const auto found = std::ranges::find(all, name == nullptr ? "recipe" : name, &Target::name);
  if (found == all.end()) {
    std::fprintf(stderr, "there is no target %s\n", name);
    std::exit(2);
  }
  return *found;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target& target = chosen_target();
  if (size > 0) {
    target.run(std::string(reinterpret_cast<const char*>(data) + 1, size - 1), data[0]);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Every second change is libFuzzer's own, which knows bytes alone. The first byte, which says how the text is taken,
// stays in the others.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if (seed % 2 == 0 || size == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string out = sparsecfg::fuzz::mutated(text, seed);
  const std::size_t length = std::min(out.size(), max_size - 1);
  std::memcpy(data + 1, out.data(), length);
  return length + 1;
}
