#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/operation.h"

// Edits for a rule that matches modules but decides none of them.
namespace sparsecfg::check {

struct IdleRemedy {
  std::string help;    // "write `...`"
  source::Span place;  // of the entry to rewrite; empty: entries must be moved
  std::string text;    // its new text
};

// A rule of a list, and the modules that another rule decides instead.
struct IdleRule {
  std::uint32_t rule = 0;
  std::uint32_t by = 0;
  std::span<const std::size_t> modules;  // indexes of the modules
};

// Returns the first edit after which the rule decides all of its modules and no other module has another result: the
// exchange of both entries, a partial name, or a lookahead in the other entry. nullopt if no edit does.
[[nodiscard]] std::optional<IdleRemedy> remedy_for_idle(const ir::Assign& assign, const IdleRule& idle,
                                                        std::span<const model::Module> modules);

}  // namespace sparsecfg::check
