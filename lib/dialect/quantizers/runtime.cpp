#include "dialect/quantizers/runtime.h"

namespace sparsecfg::dialect::quantizers {

Runtime runtime_of(const ReadOptions& options) {
  static constexpr ReaderOption kRuntime{.name{"runtime"}, .doc = {}};
  const std::string_view name = options.given(kRuntime).value_or("");
  if (name.starts_with("vllm")) return Runtime::vllm;
  return name == "sglang" ? Runtime::sglang : Runtime::none;
}

}  // namespace sparsecfg::dialect::quantizers
