#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/operation.h"
#include "model/selectors/meant.h"
#include "model/selectors/reader.h"

// Rules that match no module.
namespace sparsecfg::dialect::quantizers {

// Returns the indexes of the rules that no decision mentions. Rules that `leave` name other things than modules.
[[nodiscard]] std::vector<std::uint32_t> unmatched_rules(const ir::Selection& selection,
                                                         const ir::Decisions& decisions);

// Removes the places of rules that the dialect has reported, so that common checks do not report them again.
void forget_places(ir::Selection& selection, const std::vector<std::uint32_t>& rules);

// Suggests entries that match modules instead of entries that match none. Suggestions are slow, so only the first rules
// get one.
class Suggestions {
 public:
  // The modules must outlive the object.
  Suggestions(const selectors::Reader& reader, std::span<const selectors::Module> modules)
      : reader_(reader), modules_(modules) {}

  // Returns a help line with the nearest entry that matches modules. Empty if there is none.
  [[nodiscard]] std::string help_for(const ir::Rule& rule);
  // Returns the nearest entry that matches modules; nullopt if there is none.
  [[nodiscard]] std::optional<selectors::Meant> meant(const ir::Rule& rule);

 private:
  static constexpr std::size_t kMost = 20;

  const selectors::Reader& reader_;
  std::span<const selectors::Module> modules_;
  std::size_t count_ = 0;
  base::Budget budget_ = selectors::suggestion_budget();
};

}  // namespace sparsecfg::dialect::quantizers
