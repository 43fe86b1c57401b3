#pragma once

#include "dialect/layout_page.h"

namespace sparsecfg::dialect::sparseml {

// What a recipe of SparseML's consists of besides its modifiers.
inline constexpr LayoutWord kLayoutWords[] = {
    {"modifiers",
     "The list of modifiers. Every key of the top level, or of a stage, that contains this word is such a "
     "list: `pruning_modifiers`, `training_modifiers`."},
    {"pruning_modifiers", "A usual name for a list of modifiers; the word before `_modifiers` is free."},
    {"training_modifiers", "A usual name for a list of modifiers; the word before `_modifiers` is free."},
    {"quantization_modifiers", "A usual name for a list of modifiers; the word before `_modifiers` is free."},
    {"eval",
     "`eval(expression)` as a whole value is computed when the recipe is loaded, from numbers, variables, "
     "+ - * / // % ** and the functions abs, float, int, min, max and round."},
    {"variables",
     "Every key of the top level, or of a stage, that holds no list of modifiers is a variable. Fields use "
     "it with `eval(name)`, and `--set name=value` changes it."},
    {"num_epochs", "A usual name of the variable for the epochs of the whole training; any other name works as well."},
    {"stages", "Keys of the top level below which lists of modifiers stand, where no list stands at the top level."},
    {"__metadata__", "What SparseML notes about a stage. Either every stage has it or none does."},
    {"__ALL__", "As `params`: every parameter of the model that is trained, biases and norms included."},
    {"__ALL_PRUNABLE__", "As `params` of a pruner: the weights of all linear layers and convolutions."},
    {"__FROM_PARAM__", "As `init_sparsity`: the sparsity that each parameter has when the pruner starts."},
    {"re:", "What follows in a selector is a regular expression of Python's, matched from the start of a name."},
    {"log_types", "Removed: SparseML deletes this field from every modifier before it looks at it."},
    {"version", "A key that many recipes have and no release reads."},
};

}  // namespace sparsecfg::dialect::sparseml
