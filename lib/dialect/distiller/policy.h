#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/record/field_names.h"
#include "ir/cadence.h"
#include "source/span.h"

namespace sparsecfg::dialect::distiller {

// The key of the arguments that a policy passes to its pruner.
inline constexpr std::string_view kArguments = "args";

// An entry of `policies`: a component and the epochs in which it is active.
struct Policy {
  Policy() = default;
  Policy(Policy&&) = default;  // not copied, because arguments refer to the fields

  const SectionSpec* kind = nullptr;
  Component* component = nullptr;               // null if undefined, which is reported
  int ordinal = 0;                              // from 1, in document order
  Span place;                                   // the key that names the kind
  Record entry;                                 // keys of the entry itself
  Record inner;                                 // keys under the kind
  RunArguments args{};                          // keys under `args`
  bool lists = false;                           // true if the epochs are a list
  std::vector<source::Located<double>> epochs;  // listed epochs
  source::Located<double> start;                // first epoch of the range
  source::Located<double> end;                  // end of the range, exclusive
  source::Located<double> every;                // interval of the range
  bool valid = true;                            // true if the whole policy could be read
  bool acts = true;                             // true if an active epoch lies within the run

  // Returns the epoch after the last active one. The policy implies a training of at least this length.
  [[nodiscard]] double over() const;
  // Returns the times at which the policy acts.
  [[nodiscard]] ir::Cadence cadence() const;
  // Returns at most `max` active epochs in ascending order, without those that are never reached.
  [[nodiscard]] std::vector<std::int64_t> active(std::size_t max) const;
  // Returns the span of the epochs.
  [[nodiscard]] Span place_of_epochs() const;
};

// Returns true for a policy that acts and whose component is a valid one of a section.
[[nodiscard]] bool runs(const Policy& policy, Section section);

// Returns the last active epoch of a run with this number of epochs; -1 if the policy is never active.
[[nodiscard]] double last_active_before(const Policy& policy, const std::optional<double>& epochs);

// Returns true if policies of the class require a range of epochs. Distiller fails on a list.
[[nodiscard]] bool needs_range(const ClassSpec& spec);

// Reads the list or range of epochs of a policy whose kind is known. Returns false if it can't be determined.
[[nodiscard]] bool read_epochs(Policy& policy, FieldNames& names, diag::Sink& sink);

// Reads `policies` in file order and reports what Distiller rejects or ignores. `complete`: false if a section with a
// misspelled name was reported, which may be `policies`.
[[nodiscard]] std::vector<Policy> read_policies(const Context& context, Components& components, bool complete);

}  // namespace sparsecfg::dialect::distiller
