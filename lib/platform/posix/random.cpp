#include "platform/random.h"

#include <sys/random.h>
#include <unistd.h>

namespace sparsecfg::platform {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    number = static_cast<std::uint64_t>(::getpid());
  }
  return number;
}

}  // namespace sparsecfg::platform
