#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "source/value.h"

// Settings of a configuration, as written.
namespace sparsecfg::dialect::gptqmodel {

struct Setting {
  std::string name;
  source::Span key;
  source::Value value;
};

// Offers `dynamic` for a list of modules that other systems skip, or that they select. A pattern with `-:` skips the
// modules that it matches; it needs `^`, because some releases match it anywhere.
void offer_skipped(diag::Diagnostic& report, const Setting& setting);

}  // namespace sparsecfg::dialect::gptqmodel
