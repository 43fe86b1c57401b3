#include "dialect/runtime_option.h"

#include <algorithm>
#include <charconv>

namespace sparsecfg::dialect {

static std::string_view value_of(const ReadOptions& options, std::string_view name) {
  const auto found = std::find_if(options.reader_options.rbegin(), options.reader_options.rend(),
                                  [&](const auto& each) { return each.first == name; });
  return found == options.reader_options.rend() ? std::string_view() : std::string_view(found->second);
}

std::string_view runtime_name(const ReadOptions& options) { return value_of(options, "runtime"); }

std::uint64_t gpus_of(const ReadOptions& options) {
  const std::string_view text = value_of(options, "tensor-parallel");
  std::uint64_t gpus = 1;
  std::from_chars(text.data(), text.data() + text.size(), gpus);
  return gpus;
}

}  // namespace sparsecfg::dialect
