#pragma once

#include <optional>
#include <string>
#include <utility>

#include "dialect/stages/modifier.h"

// Fields of a modifier that describe the format of the weights in the words of another system or of a group.
namespace sparsecfg::dialect::llmcompressor {

// Reports all such fields of a modifier at the first of them, with the preset or the group to write instead. Returns
// true if `field` is one of them.
bool report_format_fields(const stages::Context& context, const stages::Modifier& modifier, const Field& field);

// Returns the argument of the weights that a field of another system means, such as `num_bits` for `w_bit`. The name is
// empty for a field without a counterpart. Returns nullopt for other fields.
std::optional<std::pair<std::string, source::Value>> format_argument(const stages::Modifier& modifier,
                                                                     const Field& field);

// Reports parts of a group, such as `weights`, and groups without `config_groups` around them, at the first of them.
// Does nothing for a modifier that has a scheme. Returns true if `field` is one of them.
bool report_group_fields(const stages::Context& context, const stages::Modifier& modifier, const Field& field);

}  // namespace sparsecfg::dialect::llmcompressor
