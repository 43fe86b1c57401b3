#include "platform/parse_double.h"

namespace sparsecfg::platform {

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

}  // namespace sparsecfg::platform
