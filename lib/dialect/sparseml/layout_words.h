#pragma once

#include "dialect/dialect.h"

namespace sparsecfg::dialect::sparseml {

// Explain pages for the keys and words of SparseML recipes other than modifiers and their fields.
inline constexpr LayoutWord kLayoutWords[] = {
    {"modifiers",
     "A list of modifiers. Every key at the top level or in a stage that contains this word holds such a "
     "list: `pruning_modifiers`, `training_modifiers`."},
    {"pruning_modifiers", "A common name for a list of modifiers. Any word may precede `_modifiers`."},
    {"training_modifiers", "A common name for a list of modifiers. Any word may precede `_modifiers`."},
    {"quantization_modifiers", "A common name for a list of modifiers. Any word may precede `_modifiers`."},
    {"eval",
     "A whole value `eval(expression)` is evaluated when the recipe is loaded. Expressions contain numbers, variables, "
     "+ - * / // % ** and the functions abs, float, int, min, max and round."},
    {"variables",
     "Every other key at the top level or in a stage is a variable. Fields use a variable "
     "with `eval(name)`. Use `--set name=value` to change it."},
    {"num_epochs",
     "A common name for the variable that holds the total number of epochs. Any other name works as well."},
    {"stages",
     "Top-level keys that contain lists of modifiers. Used only if the top level itself contains no such list."},
    {"__metadata__", "Information that SparseML records about a stage. Either all stages have it or none."},
    {"__ALL__", "In `params`: selects every trainable parameter of the model, including biases and norms."},
    {"__ALL_PRUNABLE__", "In `params` of a pruner: selects the weights of all linear and convolutional layers."},
    {"__FROM_PARAM__", "In `init_sparsity`: the sparsity of each parameter when the pruner starts."},
    {"re:", "Prefix of a Python regular expression in a selector. It must match from the start of a name."},
    {"log_types", "Removed. SparseML deletes this field from every modifier before it reads the modifier."},
    {"version", "A key found in many recipes. SparseML ignores it."},
};

}  // namespace sparsecfg::dialect::sparseml
