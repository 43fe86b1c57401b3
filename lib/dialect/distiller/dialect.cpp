#include "dialect/distiller/dialect.h"

#include "dialect/view.h"

namespace sparsecfg::dialect::distiller {

constexpr std::string_view kSections[] = {"pruners", "regularizers", "quantizers", "lr_schedulers"};
constexpr std::string_view kInstances[] = {"pruner", "regularizer", "quantizer", "lr_scheduler", "extension"};
constexpr std::string_view kClass[] = {"class"};

// `policies` and `extensions` are sections of many other files too, so what is in them counts.
static bool claims(const doc::Document& document) {
  const View root(document);
  return root.has_key(kSections) || root.any_entry([](std::string_view key, const View& value) {
    return (key == "policies" && value.any_item([](const View& policy) { return policy.has_key(kInstances); })) ||
           (key == "extensions" && value.any_entry([](std::string_view, const View& one) { return one.has_key(kClass); }));
  });
}

constexpr std::string_view kWords[] = {"policies:", "pruners:", "regularizers:", "quantizers:", "lr_schedulers:"};

const Dialect kDialect{"distiller", "Distiller", "a Distiller schedule", claims, kWords};

}  // namespace sparsecfg::dialect::distiller
