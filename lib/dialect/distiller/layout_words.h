#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::distiller {

// Keywords of a Distiller schedule, except class names.
inline constexpr LayoutWord kLayoutWords[] = {
    {"version", "Format version of the schedule. Distiller ignores it."},
    {"pruners", "Section with named pruners. Each has a `class` and the arguments of that class."},
    {"regularizers", "Section with named regularizers. Each has a `class` and the arguments of that class."},
    {"quantizers", "Section with named quantizers. Each has a `class` and its arguments. A schedule can run only one."},
    {"lr_schedulers", "Section with named learning rate schedulers. Each has a `class` and its arguments."},
    {"loss_lr_schedulers", "Section like `lr_schedulers` for the rate of the loss. Read by ai8x-training with `--dr`."},
    {"extensions", "Section with named extensions. Each has a `class` and the arguments of that class."},
    {"policies", "List of policies. Each policy names one instance and the epochs in which it acts."},
    {"class", "Class of an instance. All other keys of the instance are arguments of the class."},
    {"pruner", "Pruner that the policy runs, selected by `instance_name`. `args` sets its options."},
    {"regularizer", "Regularizer that the policy runs, selected by `instance_name`. `args` sets its options."},
    {"quantizer", "Quantizer that the policy runs, selected by `instance_name`."},
    {"lr_scheduler", "Learning rate scheduler that the policy runs, selected by `instance_name`."},
    {"loss_lr_scheduler",
     "Scheduler of the loss that the policy runs, selected by `instance_name`. ai8x-training only."},
    {"extension", "Extension that the policy runs, selected by `instance_name`."},
    {"instance_name", "Name of the instance in its section."},
    {"starting_epoch", "First epoch in which the policy acts. An int, 0 or more."},
    {"ending_epoch", "Epoch at which the policy ends (exclusive). An int."},
    {"frequency", "Number of epochs between active epochs. An int, 1 or more. Required."},
    {"epochs", "List of the epochs in which the policy acts. Replaces the range."},
    {"overrides", "Bit widths per layer. Keys are layer names or regular expressions."},
    {"bits_activations", "Bit width of the layer's activations. null disables their quantization."},
    {"bits_weights", "Bit width of the layer's weights. null disables their quantization."},
    {"bits_bias", "Bit width of the layer's bias. null disables its quantization."},
};

}  // namespace sparsecfg::dialect::distiller
