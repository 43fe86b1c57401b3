#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/selectors/entries.h"
#include "model/selectors/reader.h"

namespace sparsecfg::selectors {

// A replacement for an entry that matches no module.
struct Meant {
  enum class Kind : std::uint8_t {
    other_flavor,  // a glob for a regular expression, or the reverse; a missing or superfluous mark
    other_space,   // the name of another wrapper or release, such as without `model.`
    other_level,   // a parameter, a container or a layer inside of one
    misspelled,
  };
  Kind kind = Kind::misspelled;
  std::string text;         // the entry to write
  std::string name;         // the first module that it matches
  std::size_t matches = 0;  // number of modules
};

// Work of all suggestions about one list.
[[nodiscard]] constexpr base::Budget suggestion_budget() { return base::Budget({.steps = 5'000'000}); }

// Returns the nearest entry that the reader would match with a module. Returns nullopt if there is none or if the
// budget is exhausted.
[[nodiscard]] std::optional<Meant> meant_by(const Reader& reader, const Entry& entry, std::span<const Module> modules,
                                            const PrefixMap& prefixes, base::Budget& budget);

// Returns the names of the modules that an entry matches as a glob, as a pattern after `re:`, or as whole parts of
// names, for readers that know only full names. Empty if there are none, or if the reader does not match their names.
[[nodiscard]] std::vector<std::string> names_meant_by(const Reader& reader, const Entry& entry,
                                                      std::span<const Module> modules, base::Budget& budget);

}  // namespace sparsecfg::selectors
