#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/distiller/component.h"
#include "dialect/record.h"
#include "source/span.h"

namespace sparsecfg::dialect::distiller {

// An entry of `policies`: an instance and the epochs in which it is active.
struct Policy {
  const SectionSpec* kind = nullptr;
  Component* component = nullptr;               // null: undefined, which is reported
  int ordinal = 0;                              // from 1, in document order
  Span place;                                   // the key that says the kind
  Fields entry;                                 // the entry's own keys
  Fields inner;                                 // those below the kind
  Fields args;                                  // those below `args`
  bool lists = false;                           // true if the epochs are a list
  std::vector<source::Located<double>> epochs;  // of that list
  source::Located<double> start;                // of the range
  source::Located<double> end;                  // of the range; not active itself
  source::Located<double> every;                // of the range
  bool valid = true;                            // true if all of it could be read
  bool acts = true;                             // true if an active epoch comes within the run

  // The first epoch after the last active one: how long the policy asks to train.
  [[nodiscard]] double over() const;
  // Active epochs, ascending; those that never come are left out. At most `most` of them.
  [[nodiscard]] std::vector<std::int64_t> active(std::size_t max) const;
  // Where the epochs stand.
  [[nodiscard]] Span place_of_epochs() const;
};

// Returns true if policies of the class need a range of epochs: Distiller stops at a list.
[[nodiscard]] bool needs_range(const ClassSpec& spec);

// Reads the list or the range of a policy whose kind is known. False where it can't be determined.
[[nodiscard]] bool read_epochs(Policy& policy, FieldNames& names, diag::Sink& sink);

// Reads `policies` and reports what Distiller refuses or drops. In the order of the file.
[[nodiscard]] std::vector<Policy> read_policies(const Reading& reading, Components& components);

}  // namespace sparsecfg::dialect::distiller
