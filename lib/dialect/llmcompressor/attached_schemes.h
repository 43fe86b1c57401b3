#pragma once

#include <optional>
#include <vector>

#include "dialect/llmcompressor/schemes.h"

// The schemes that the quantization modifiers of a recipe attach to the modules of a model. All modifiers attach their
// schemes before the first one calibrates, so the scheme of the last modifier applies.
namespace sparsecfg::dialect::llmcompressor {

class AttachedSchemes {
 public:
  // The arguments must outlive this object.
  AttachedSchemes(const std::vector<Modifier>& modifiers, const Modules& modules);

  // Returns the groups of a modifier, in their order.
  [[nodiscard]] const std::vector<Group>& groups(std::size_t modifier) const { return groups_[modifier]; }

  // Returns the scheme that applies to a module, or null. It may be empty.
  [[nodiscard]] const Group* scheme_of(std::size_t module) const;
  // Returns the scheme that one modifier attaches to a module, or null.
  [[nodiscard]] const Group* scheme_by(std::size_t modifier, std::size_t module) const;
  // Returns true if the scheme of a modifier applies to the module after all modifiers.
  [[nodiscard]] bool keeps(std::size_t modifier, std::size_t module) const;
  // Returns for each group of a modifier whether it applies to a module. If no modules are known, all do.
  [[nodiscard]] std::vector<bool> used_groups(std::size_t modifier) const;
  // Returns the names of the modules whose scheme from a modifier is replaced by an empty one.
  [[nodiscard]] std::vector<Entry> emptied(std::size_t modifier) const;

 private:
  const Modules& modules_;
  std::vector<std::vector<Group>> groups_;                        // by modifier
  std::vector<std::vector<std::optional<std::size_t>>> schemes_;  // by modifier and module: index of the group
  std::vector<std::optional<std::size_t>> owners_;                // by module: index of the modifier
};

}  // namespace sparsecfg::dialect::llmcompressor
