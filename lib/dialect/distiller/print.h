#pragma once

#include <string>
#include <vector>

#include "dialect/distiller/table.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

// A component as it is to be written: an instance of a class and the arguments of its constructor.
struct ComponentDraft {
  Section section = Section::pruners;
  std::string name;
  std::string class_name;
  source::Map arguments;
};

// A policy as it is to be written.
struct PolicyDraft {
  Section section = Section::pruners;
  std::string name;         // of the instance
  source::Value arguments;  // null: none
  source::Map epochs;       // what says when it is active
};

[[nodiscard]] source::Value word(std::string_view text);

// A schedule: the sections in Distiller's order, the policies in the order given.
[[nodiscard]] std::string print(const std::vector<ComponentDraft>& components,
                                const std::vector<PolicyDraft>& policies);

}  // namespace sparsecfg::dialect::distiller
