#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "dialect/modelopt/library.h"
#include "dialect/schemes/meant.h"

// Constants of ModelOpt for the names of formats in other systems.
namespace sparsecfg::dialect::modelopt {

// A preset of compressed-tensors, and the constant with the same formats.
struct SameFormat {
  std::string_view preset;
  std::string_view constant;
};

constexpr SameFormat kSameFormats[] = {{"FP8", "FP8_DEFAULT_CFG"},
                                       {"FP8_DYNAMIC", "FP8_PER_CHANNEL_PER_TOKEN_CFG"},
                                       {"MXFP4", "MXFP4_DEFAULT_CFG"},
                                       {"MXFP8", "MXFP8_DEFAULT_CFG"},
                                       {"NVFP4", "NVFP4_DEFAULT_CFG"},
                                       {"NVFP4A16", "W4A16_NVFP4_CFG"},
                                       {"W4A16", "INT4_BLOCKWISE_WEIGHT_ONLY_CFG"}};

std::string_view constant_meant_by(const std::string& word) {
  const auto* const own = std::ranges::find(kSameFormats, base::to_upper(word), &SameFormat::constant);
  if (own != std::end(kSameFormats)) return own->constant;
  auto scheme = schemes::preset_scheme_named(word);
  if (const auto named = scheme ? std::nullopt : schemes::scheme_named(word)) scheme = named->scheme;
  const std::string_view preset = scheme ? schemes::preset_of(*scheme) : std::string_view();
  const auto* const same = std::ranges::find(kSameFormats, preset, &SameFormat::preset);
  return same == std::end(kSameFormats) ? std::string_view() : same->constant;
}

}  // namespace sparsecfg::dialect::modelopt
