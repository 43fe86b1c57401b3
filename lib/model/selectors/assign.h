#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "model/selectors/entries.h"
#include "model/selectors/reader.h"

namespace sparsecfg::selectors {

// What a list decides for one module. Lists of entries are shared by all modules that the same entries match.
struct Decision {
  enum class Why : std::uint8_t {
    entry,
    absent_entry,  // no entry matches: the default applies
    default_skip,  // the system does not quantize the module by default
    not_reached,   // the system does not examine the module
    gate,          // the system ignores the list
    unknown,       // a pattern is too slow
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  Format format = kUnquantized;
  std::uint32_t by = kNobody;    // index of the deciding entry
  std::uint32_t overridden = 0;  // list of the other entries that match
  std::uint32_t together = 0;    // list of entries that decide other parts, or add fields
  Why why = Why::absent_entry;

  [[nodiscard]] bool has_entry() const { return by != kNobody; }
};

struct Assignment {
  using List = std::vector<std::uint32_t>;  // indexes of entries, the strongest first

  std::vector<Decision> decisions;  // one per module
  std::vector<List> lists;          // the first is empty
  std::vector<bool> matched;        // by entry: matches an examined module
  bool complete = true;             // false if the budget was exhausted: unknown decisions, and too few matched entries

  [[nodiscard]] const List& overridden(const Decision& decision) const { return lists[decision.overridden]; }

  [[nodiscard]] const List& together(const Decision& decision) const { return lists[decision.together]; }
};

// The format of a module without an entry.
using DefaultFormat = std::function<Format(const Module&)>;

// Work of one assignment: one step is about 10 ns.
[[nodiscard]] constexpr base::Budget assignment_budget() { return base::Budget({.steps = 15'000'000}); }

// Decides the format of each module. `entries` is null if the field is absent. `run` has facts of the run that gates
// name.
[[nodiscard]] OrRejection<Assignment> assign(const Reader& reader, const std::vector<Entry>* entries,
                                             std::span<const Module> modules, const DefaultFormat& default_format,
                                             std::span<const std::string_view> run, base::Budget& budget);

// The same with one default format for all modules.
[[nodiscard]] OrRejection<Assignment> assign(const Reader& reader, const std::vector<Entry>* entries,
                                             std::span<const Module> modules);

// Returns for each entry whether it matches a module, examined or not. The result is incomplete if the budget is
// exhausted.
[[nodiscard]] std::vector<bool> matched_entries(const Reader& reader, std::span<const Entry> entries,
                                                std::span<const Module> modules, base::Budget& budget);

}  // namespace sparsecfg::selectors
