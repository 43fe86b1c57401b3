#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/autoround/schemes.h"

// Formats in which AutoRound saves a model (docs/semantics/autoround.md#a3-1).
namespace sparsecfg::dialect::autoround {

// The kind of numbers that a format has for weights.
enum class WeightKind : std::uint8_t {
  any,
  integers,
  blocks,  // 8-bit floats in blocks
};

// How a format stores quantized inputs.
enum class Inputs : std::uint8_t {
  any,
  rejects,
  plain,    // saves the whole model in 16 bits
  channel,  // has int8 inputs only with int8 weights per channel
};

struct Format {
  std::string_view name;
  std::span<const std::int64_t> bits{};  // of the weights; empty: any number
  WeightKind weights = WeightKind::any;
  Inputs inputs = Inputs::any;
  bool model_free = false;  // true if the path without a model has it
  std::string_view since{"0.8"};
};

// The default format. AutoRound replaces it by another one that fits the scheme.
inline constexpr std::string_view kUsualFormat = "auto_round";

// Returns a format by its name in lower case; null for other names, and for types of GGUF.
[[nodiscard]] const Format* find_format(std::string_view name);

// Returns the names in a value such as `auto_round, gguf:q*_0` in lower case, without repetitions. `bits` replaces the
// star.
[[nodiscard]] std::vector<std::string> format_names(std::string_view text, std::int64_t bits);

// Returns the format that a name of another tool or another spelling means; empty for other words.
[[nodiscard]] std::string_view format_meant_by(std::string_view word);

// Returns the numbers of a scheme: "int8 weights with int8 inputs".
[[nodiscard]] std::string numbers_of(const Fields& fields);

// The result of saving a scheme in a format.
struct Storage {
  enum class Kind : std::uint8_t { stored, stops, plain };  // plain: it saves weights of 16 bits
  Kind kind = Kind::stored;
  std::string lacks{};  // what the format does not have: "int8 weights"
};

// `only_four`: true if all layers have 4 or 16 bits.
[[nodiscard]] Storage storage_of(const Format& format, const Fields& fields, bool only_four);

// Returns the formats that store a scheme, the usual one first.
[[nodiscard]] std::vector<std::string_view> formats_for(const Fields& fields, bool only_four);

}  // namespace sparsecfg::dialect::autoround
