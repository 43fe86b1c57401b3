#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace sparsecfg::base {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to a misspelt word: at most two edits or a third of the word away,
// letter case aside. Nothing where none is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace sparsecfg::base
