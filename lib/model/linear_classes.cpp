#include "model/linear_classes.h"

#include <algorithm>
#include <iterator>

namespace sparsecfg::model {

struct LinearClass {
  std::string_view name;
  bool quantizable = true;
};

// Classes derived from Linear in torch and transformers whose layers compute the same.
constexpr LinearClass kLinearClasses[] = {
    {"Linear"}, {"FalconLinear"}, {.name = "NonDynamicallyQuantizableLinear", .quantizable = false}};

bool is_linear_class(std::string_view type) {
  return std::ranges::find(kLinearClasses, type, &LinearClass::name) != std::end(kLinearClasses);
}

bool is_quantizable_linear_class(std::string_view type) {
  const auto* found = std::ranges::find(kLinearClasses, type, &LinearClass::name);
  return found != std::end(kLinearClasses) && found->quantizable;
}

}  // namespace sparsecfg::model
