#include "platform/parse_double.h"

#include <fast_float/fast_float.h>

namespace sparsecfg::platform {

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  const fast_float::from_chars_result result = fast_float::from_chars(first, last, value);
  return {result.ptr, result.ec};
}

}  // namespace sparsecfg::platform
