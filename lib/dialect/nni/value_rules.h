#pragma once

#include "dialect/nni/config.h"

namespace sparsecfg::dialect::nni {

// Whether NNI's schema takes a value for a key; reports it where not.
[[nodiscard]] bool check_value(const KeySpec& key, const source::Value& value, const Context& context);

}  // namespace sparsecfg::dialect::nni
