#pragma once

#include <string>

namespace sparsecfg::fuzz {

// A recipe changed as people get them wrong: values of fields become others of the same or of another kind, fields and
// whole entries are repeated, dropped, moved or nested. The same seed makes the same change.
[[nodiscard]] std::string mutated(const std::string& text, unsigned seed);

}  // namespace sparsecfg::fuzz
