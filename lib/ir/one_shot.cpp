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

std::string bytes_text(double bits) {
  const double megabytes = bits / 8e6;
  return megabytes < 1000 ? fmt::format("{:.3g} MB", megabytes) : fmt::format("{:.3g} GB", megabytes / 1000);
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
  return fmt::format("{:.2f} bits per weight, {}, {:.2f} times smaller than with 16 bits", bits, bytes_text(total.bits),
                     16 / bits);
}

}  // namespace sparsecfg::ir
