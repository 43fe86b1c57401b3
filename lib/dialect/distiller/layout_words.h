#pragma once

#include "dialect/layout_page.h"

namespace sparsecfg::dialect::distiller {

// What a schedule of Distiller's consists of besides its classes.
inline constexpr LayoutWord kLayoutWords[] = {
    {"version", "The version of the schedule's form; Distiller does not read it."},
    {"pruners", "Section: names, and below each the `class` of a pruner and its arguments."},
    {"regularizers", "Section: names, and below each the `class` of a regularizer and its arguments."},
    {"quantizers", "Section: names, and below each the `class` of a quantizer and its arguments. One runs at a time."},
    {"lr_schedulers", "Section: names, and below each the `class` of a learning rate scheduler and its arguments."},
    {"extensions", "Section: names, and below each the `class` of an extension and its arguments."},
    {"policies", "Section: the list of policies. Each names one instance and the epochs in which it acts."},
    {"class", "The class of an instance in one of the sections; every other key there is an argument of it."},
    {"pruner", "Key of a policy: the pruner that it runs, by its `instance_name`, and `args` for it."},
    {"regularizer", "Key of a policy: the regularizer that it runs, by its `instance_name`, and `args` for it."},
    {"quantizer", "Key of a policy: the quantizer that it runs, by its `instance_name`."},
    {"lr_scheduler", "Key of a policy: the scheduler that it runs, by its `instance_name`."},
    {"extension", "Key of a policy: the extension that it runs, by its `instance_name`."},
    {"instance_name", "Below the kind of a policy: the name under which the instance stands in its section."},
    {"starting_epoch", "Key of a policy: the first epoch in which it acts, an int from 0 on."},
    {"ending_epoch", "Key of a policy: the epoch before which it ends, an int."},
    {"frequency", "Key of a policy: epochs from one in which it acts to the next, an int from 1 on, without default."},
    {"epochs", "Key of a policy: a list of the epochs in which it acts, in place of a range."},
    {"overrides", "Argument of quantizers: patterns of layers' names, and the bits of those layers."},
    {"bits_activations", "Key of overrides: the bits of what a layer puts out; null leaves it as it is."},
    {"bits_weights", "Key of overrides: the bits of a layer's weights; null leaves them as they are."},
    {"bits_bias", "Key of overrides: the bits of a layer's bias; null leaves it as it is."},
};

}  // namespace sparsecfg::dialect::distiller
