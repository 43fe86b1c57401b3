#pragma once

#include "dialect/stages/modifier.h"

// Fields of a modifier that describe the format of the weights in the words of another system or of a group.
namespace sparsecfg::dialect::llmcompressor {

// Reports all such fields of a modifier at the first of them, with the preset or the group to write instead. Returns
// true if `field` is one of them.
bool report_format_fields(const stages::Context& context, const stages::Modifier& modifier, const Field& field);

}  // namespace sparsecfg::dialect::llmcompressor
