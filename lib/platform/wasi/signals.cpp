#include "platform/signals.h"

namespace sparsecfg::platform {

// WASI has no signals.
struct RemovalOnSignal::State {};

RemovalOnSignal::RemovalOnSignal(const std::string&) {}

RemovalOnSignal::~RemovalOnSignal() = default;

}  // namespace sparsecfg::platform
