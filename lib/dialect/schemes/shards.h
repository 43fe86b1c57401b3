#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Edits of patterns so that all layers that a runtime joins have one scheme.
namespace sparsecfg::dialect::schemes {

// Two patterns, of which the first gave up layers to the second.
struct MovedShards {
  std::string from;
  std::string to;
};

// Moves the layers `shards`, such as `q_proj` and `k_proj`, from a pattern with alternatives to the pattern `to`, which
// matches the layer `own` of the same joined layer. Returns nullopt if a pattern has another form.
//   from `re:.*\.(o|q|k)_proj$`, to `re:.*\.v_proj$` -> `re:.*\.(o)_proj$`, `re:.*\.(v|q|k)_proj$`
[[nodiscard]] std::optional<MovedShards> move_shards(std::string_view from, std::string_view to,
                                                     std::span<const std::string_view> shards, std::string_view own);

}  // namespace sparsecfg::dialect::schemes
