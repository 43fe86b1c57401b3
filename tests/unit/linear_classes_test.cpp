#include "model/linear_classes.h"

#include <catch2/catch.hpp>

namespace sparsecfg::model {

TEST_CASE("The output projection of attention in torch is a linear layer that torchao skips") {
  for (const char* name : {"Linear", "FalconLinear", "NonDynamicallyQuantizableLinear"}) CHECK(is_linear_class(name));
  CHECK_FALSE(is_linear_class("Bilinear"));
  CHECK(is_quantizable_linear_class("Linear"));
  CHECK(is_quantizable_linear_class("FalconLinear"));
  CHECK_FALSE(is_quantizable_linear_class("NonDynamicallyQuantizableLinear"));
  CHECK_FALSE(is_quantizable_linear_class("Bilinear"));
}

}  // namespace sparsecfg::model
