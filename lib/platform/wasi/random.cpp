#include "platform/random.h"

#include <sys/random.h>
#include <unistd.h>

namespace sparsecfg::platform {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  return ::getentropy(&number, sizeof number) == 0 ? number : 0;
}

}  // namespace sparsecfg::platform
