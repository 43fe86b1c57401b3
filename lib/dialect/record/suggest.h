#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/record/spec.h"
#include "source/value.h"

// Concrete values for help lines. Each must be accepted if a user writes it.
namespace sparsecfg::dialect {

// Returns an example of a required field as YAML, such as "end_epoch: 10.0". Returns an empty string for other fields.
[[nodiscard]] std::string example_of(std::string_view field);

// Returns a percentage as a fraction: 80 is 0.8.
[[nodiscard]] double fraction_of(double percent);

// Returns a sparsity within the bounds that is near a number outside of them: 0.9 for 1, or 0.05 for 0.
[[nodiscard]] std::optional<double> nearest_sparsity(const Bounds& bounds, double number);

// Returns the items of a string that was written without the brackets of a list: "a, b". Returns no items for a string
// without a comma, or with brackets or a space within an item.
[[nodiscard]] std::vector<std::string_view> items_of(std::string_view text);

// Formats strings as a flow list with quotes where YAML needs them: "[a.weight, 're:.*']".
[[nodiscard]] std::string flow_list(const std::vector<std::string_view>& items);

// Writes a value on one line as YAML in flow style: `{num_bits: 4, targets: [Linear]}`.
[[nodiscard]] std::string flow_text(const source::Value& value);

// Returns the list that was meant by a string such as "a, b", for a field of that type. Returns nullopt for others.
[[nodiscard]] std::optional<std::string> list_meant_by(std::string_view text, Type type);

// Returns true for a class name of layers, such as `Conv2d`, and for a list of these.
[[nodiscard]] bool names_layer_types(const source::Value& value);

}  // namespace sparsecfg::dialect
