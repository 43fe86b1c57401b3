#include "python/numbers.h"

#include "base/overloaded.h"

namespace sparsecfg::python {

bool is_true(const source::Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) { return false; },
                        [](bool flag) { return flag; },
                        [](std::int64_t integer) { return integer != 0; },
                        [](double real) { return real != 0; },
                        [](const std::string& text) { return !text.empty(); },
                        [](const source::List& list) { return !list.empty(); },
                        [](const source::Map& map) { return !map.empty(); },
                        [](const auto&) { return true; },
                    },
                    value.data);
}

}  // namespace sparsecfg::python
