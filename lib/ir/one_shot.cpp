#include "ir/one_shot.h"

#include <fmt/format.h>

namespace sparsecfg::ir {

StoredLayers OneShot::total() const {
  StoredLayers out;
  for (const StoredLayers& each : stored) {
    out.layers += each.layers;
    out.bits += each.bits;
    if (out.weights) out.weights = each.weights ? std::optional(*out.weights + *each.weights) : std::nullopt;
  }
  return out;
}

std::string megabytes(double bits) {
  const double value = bits / 8e6;
  return value < 1000 ? fmt::format("{:.3g} MB", value) : fmt::format("{:.0f} MB", value);
}

std::string size_text(const OneShot& one_shot) {
  const StoredLayers total = one_shot.total();
  if (one_shot.stored.empty()) {
    return "unknown (pass the model with --model)";
  }
  if (!total.weights || *total.weights == 0) {
    return "unknown (the model has layers without shapes)";
  }
  const double bits = total.bits / static_cast<double>(*total.weights);
  return fmt::format("{:.2f} bits per weight, {}, {:.2f} times smaller than with 16 bits", bits, megabytes(total.bits),
                     16 / bits);
}

}  // namespace sparsecfg::ir
