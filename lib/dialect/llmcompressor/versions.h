#pragma once

#include <string_view>

#include "dialect/llmcompressor/release.h"
#include "dialect/llmcompressor/table.h"

// Differences between releases of llm-compressor.
namespace sparsecfg::dialect::llmcompressor {

// Hook of the table for unknown fields. Returns true for fields that check_release() reports.
[[nodiscard]] bool report_field_of_release(const Reading& reading, const Modifier& modifier, const Field& field);

// Returns true if AWQModifier had the field before it became a transform.
[[nodiscard]] bool is_old_awq_field(std::string_view field);

// Reports internal and removed fields (LC107, LC701). For older releases it also reports modifiers, fields and presets
// that were added later (LC702).
void check_release(const Reading& reading, const Modifier& modifier, Release release);

}  // namespace sparsecfg::dialect::llmcompressor
