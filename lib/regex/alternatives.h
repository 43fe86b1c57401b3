#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Adds alternatives to the text of a pattern.
namespace sparsecfg::regex {

// Returns the patterns that also contain the words of `all` at the place where a pattern lists some of them: as a
// character class, as a group with `|`, or as a single word. `[qk]_proj` with `q_proj`, `k_proj` and `v_proj` becomes
// `[qkv]_proj`. The words share an ending such as `_proj`. The caller must test what the results match.
[[nodiscard]] std::vector<std::string> with_alternatives(std::string_view pattern, std::span<const std::string> all);

}  // namespace sparsecfg::regex
