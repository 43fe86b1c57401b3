#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::distiller {

// Keywords of a Distiller schedule, except class names.
inline constexpr LayoutWord kLayoutWords[] = {
    {.name = "version", .doc = "Format version of the schedule. Distiller ignores it."},
    {.name = "pruners", .doc = "Section with named pruners. Each has a `class` and the arguments of that class."},
    {.name = "regularizers",
     .doc = "Section with named regularizers. Each has a `class` and the arguments of that class."},
    {.name = "quantizers",
     .doc = "Section with named quantizers. Each has a `class` and its arguments. A schedule can run only one."},
    {.name = "lr_schedulers",
     .doc = "Section with named learning rate schedulers. Each has a `class` and its arguments."},
    {.name = "loss_lr_schedulers",
     .doc = "Section like `lr_schedulers` for the rate of the loss. Read by ai8x-training with `--dr`."},
    {.name = "extensions", .doc = "Section with named extensions. Each has a `class` and the arguments of that class."},
    {.name = "policies", .doc = "List of policies. Each policy names one instance and the epochs in which it acts."},
    {.name = "class", .doc = "Class of an instance. All other keys of the instance are arguments of the class."},
    {.name = "pruner", .doc = "Pruner that the policy runs, selected by `instance_name`. `args` sets its options."},
    {.name = "regularizer",
     .doc = "Regularizer that the policy runs, selected by `instance_name`. `args` sets its options."},
    {.name = "quantizer", .doc = "Quantizer that the policy runs, selected by `instance_name`."},
    {.name = "lr_scheduler", .doc = "Learning rate scheduler that the policy runs, selected by `instance_name`."},
    {.name = "loss_lr_scheduler",
     .doc = "Scheduler of the loss that the policy runs, selected by `instance_name`. ai8x-training only."},
    {.name = "extension", .doc = "Extension that the policy runs, selected by `instance_name`."},
    {.name = "instance_name", .doc = "Name of the instance in its section."},
    {.name = "starting_epoch", .doc = "First epoch in which the policy acts. An int, 0 or more."},
    {.name = "ending_epoch", .doc = "Epoch at which the policy ends (exclusive). An int."},
    {.name = "frequency", .doc = "Number of epochs between active epochs. An int, 1 or more. Required."},
    {.name = "epochs", .doc = "List of the epochs in which the policy acts. Replaces the range."},
    {.name = "overrides", .doc = "Bit widths per layer. Keys are layer names or regular expressions."},
    {.name = "bits_activations", .doc = "Bit width of the layer's activations. null disables their quantization."},
    {.name = "bits_weights", .doc = "Bit width of the layer's weights. null disables their quantization."},
    {.name = "bits_bias", .doc = "Bit width of the layer's bias. null disables its quantization."},
};

}  // namespace sparsecfg::dialect::distiller
