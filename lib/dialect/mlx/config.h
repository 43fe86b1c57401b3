#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "ir/scheme.h"
#include "model/selectors/entries.h"
#include "source/value.h"

// The quantization that mlx-lm reads in a config.json.
namespace sparsecfg::dialect::mlx {

using source::Value;

// A mode of mx.quantize, with its defaults and the values that it accepts.
struct Mode {
  std::string_view name;
  std::int64_t group_size;
  std::int64_t bits;
  std::array<std::int64_t, 3> group_sizes;  // 0: none
  std::array<std::int64_t, 6> bit_counts;
};

inline constexpr std::string_view kAffine = "affine";

// Returns null if mlx has no such mode.
[[nodiscard]] const Mode* find_mode(std::string_view name);

// The format of a module.
struct Format {
  std::string mode{kAffine};
  std::int64_t group_size = 0;
  std::int64_t bits = 0;
  friend bool operator==(const Format&, const Format&) = default;
};

// Returns true if mlx has the combination.
[[nodiscard]] bool is_supported(const Format& format);

// Returns the formats of the mode of a format, or the modes if it has an unknown one: "groups of 32, 64 or 128 with 2,
// 3, 4, 5, 6 or 8 bits".
[[nodiscard]] std::string supported_formats(const Format& format);

// Returns "4 bits, groups of 64, affine".
[[nodiscard]] std::string describe(const Format& format);

[[nodiscard]] ir::Scheme scheme_of(const Format& format);

// The values for all modules, and the mapping with keys for single modules.
struct Config {
  std::optional<Format> whole{};   // nullopt: nothing is quantized
  const Value* section = nullptr;  // the mapping
  bool has_entries = false;        // true for `quantization`, false for `quantization_config`
  std::string_view method{};       // of `quantization_config`
  bool ignored = false;            // mlx-lm does not read this method
};

// The keys of a section that are no names of modules.
[[nodiscard]] bool is_own_key(std::string_view key);

// A model that mlx-lm or mlx-vlm has quantized.
struct PackedModel {
  std::string folder;           // empty: unknown
  std::string_view original{};  // the id of the model in full precision; empty: unknown
  bool vision = false;          // true for mlx-vlm
};

// Reports a program that the options select and that can't load the weights. Returns false if there is none.
bool report_other_program(const ReadOptions& options, const PackedModel& model, source::Span place, diag::Sink& sink);

// Returns the format of an entry: missing keys have the defaults of its mode, not those of the file.
[[nodiscard]] Format format_of_entry(const Value& entry);

}  // namespace sparsecfg::dialect::mlx
