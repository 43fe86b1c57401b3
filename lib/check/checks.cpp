#include "check/check.h"

namespace sparsecfg::check {

constexpr Check kChecks[] = {
    {"training length", check_training_length},
    {"ranges", check_ranges},
    {"epochs of the run", check_epochs_of_run},
    {"literal epochs", check_literal_epochs},
    {"frequencies", check_frequencies},
    {"sparsities", check_sparsities},
    {"learning rate", check_learning_rate},
    {"idle rate", check_idle_rate},
    {"counted updates", check_counted},
    {"rate conflicts", check_rate_conflicts},
    {"run", check_run},
    {"pruners", check_pruners},
    {"order", check_order},
    {"masks", check_masks},
    {"frozen parameters", check_frozen_parameters},
    {"selectors", check_selectors},
    {"patterns", check_patterns},
    {"distillation", check_distillation},
    {"names", check_names},
    {"quantized names", check_quantized_names},
    {"shapes", check_shapes},
    {"coupled layers", check_coupled},
    {"overall sparsity", check_overall},
};

std::span<const Check> checks() { return kChecks; }

}  // namespace sparsecfg::check
