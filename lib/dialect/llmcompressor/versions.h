#pragma once

#include <string_view>

#include "dialect/llmcompressor/release.h"
#include "dialect/llmcompressor/table.h"

// What releases of llm-compressor have and the others do not.
namespace sparsecfg::dialect::llmcompressor {

// The hook of the table for fields that the class does not have: leaves those that check_release() speaks of to it.
[[nodiscard]] bool report_field_of_release(const Reading& reading, const Modifier& modifier, const Field& field);

// Returns true if AWQModifier had the field before it became a transform.
[[nodiscard]] bool is_old_awq_field(std::string_view field);

// Reports fields that are internal or were removed (LC107, LC701), and in older releases modifiers, fields and
// presets that those lack (LC702).
void check_release(const Reading& reading, const Modifier& modifier, Release release);

}  // namespace sparsecfg::dialect::llmcompressor
