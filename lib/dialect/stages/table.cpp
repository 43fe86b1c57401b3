#include "dialect/stages/table.h"

#include <algorithm>

namespace sparsecfg::dialect::stages {

const ClassSpec* Table::find(std::string_view modifier) const {
  const auto found = std::ranges::lower_bound(modifiers, modifier, {}, &ClassSpec::name);
  return found == modifiers.end() || found->name != modifier ? nullptr : &*found;
}

}  // namespace sparsecfg::dialect::stages
