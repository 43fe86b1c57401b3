#pragma once

#include <cstdint>
#include <string_view>

#include "dialect/options.h"
#include "doc/document.h"

// The two Distillers: the original of IntelLabs, and the one that ai8x-training uses (docs/semantics/ai8x.md#a1).
namespace sparsecfg::dialect::distiller {

enum class Fork : std::uint8_t { intel, ai8x };

inline constexpr std::string_view kForkNames[] = {"intel", "ai8x"};

// The files of ai8x-training, separated by `|`: the root of a copy, or the QAT policies of a project. Only
// ai8x-training has QAT policies.
inline constexpr ReaderOption kReaderOptions[] = {
    {"distiller", "Distiller that runs the schedule: `intel` (IntelLabs) or `ai8x` (ai8x-training)", kForkNames, false,
     "parse_qat_yaml.py|qat_policy*.yaml|policies/qat_policy*.yaml", "ai8x"},
    {"dr", "Value of `--dr` of ai8x-training, which enables `loss_lr_schedulers`; 0: the option is not used", {}},
};

// How a run reads the schedule.
struct Flavor {
  Fork fork = Fork::intel;
  bool chosen = false;      // true if an option or the content decides; false: the default
  bool loss_rates = false;  // true if `loss_lr_schedulers` is read, or may be read
};

// Returns the flavor that the options or the content of the document select.
[[nodiscard]] Flavor flavor_of(const ReadOptions& options, const doc::Document& document);

// Returns true if the document has a key or a name that only ai8x-training has.
[[nodiscard]] bool is_of_ai8x(const doc::Document& document);

}  // namespace sparsecfg::dialect::distiller
