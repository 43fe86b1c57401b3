#pragma once

#include <string>
#include <vector>

#include "dialect/distiller/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

// A component to write: a class and its constructor arguments.
struct ComponentDraft {
  Section section = Section::pruners;
  std::string name;
  std::string class_name;
  source::Map arguments;
};

// A policy to write.
struct PolicyDraft {
  Section section = Section::pruners;
  std::string name;         // name of the component
  source::Value arguments;  // `args`; null if none
  source::Map epochs;       // the epoch keys
};

[[nodiscard]] source::Value word(std::string_view text);

// Returns the schedule as YAML. Sections are in Distiller's order, policies in the given order.
[[nodiscard]] std::string print(const std::vector<ComponentDraft>& components,
                                const std::vector<PolicyDraft>& policies);

}  // namespace sparsecfg::dialect::distiller
