#pragma once

#include <vector>

#include "script/heap.h"
#include "script/trace.h"

namespace sparsecfg::script {

// Visits all values of the result, so a new member of Trace with values needs an entry here. Frees what a followed
// script would never free: values and scopes that refer to each other in a circle. All scopes lose their names.
// Values that are not part of the result lose their elements. If a value of the result contains itself, the inner
// reference becomes unknown. `changed` are the values that changed after their construction; only these and scopes can
// be part of a circle.
void break_cycles(const std::vector<std::shared_ptr<Scope>>& scopes, const std::vector<Ref>& changed,
                  const Trace& result);

}  // namespace sparsecfg::script
