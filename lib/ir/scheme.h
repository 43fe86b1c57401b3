#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Schemes: the formats in which the tensors of a module are stored or computed. They are independent of dialects, and
// equality is equality of meaning: fields that do not apply are ignored, and defaults are filled in.
namespace sparsecfg::ir {

enum class NumberType : std::uint8_t { integer, floating, codebook };

// The values that share a scale.
enum class Granularity : std::uint8_t { tensor, channel, token, group, block, head };

// The time at which scales are computed.
enum class ScaleTime : std::uint8_t {
  fixed,    // before the run: from the weights or from calibration data
  dynamic,  // in each run
  local,    // the scales of groups in each run, and the scale of the tensor before it
};

// The exponent and mantissa bits of small floats. `usual`: e4m3 for 8 bits, e2m1 for 4 bits.
enum class FloatKind : std::uint8_t { usual, e4m3, e5m2, e3m2, e2m3, e2m1, e4m3fnuz };

// How one tensor is stored or computed.
struct TensorFormat {
  NumberType type = NumberType::integer;
  std::int64_t bits = 8;
  std::optional<bool> symmetric = true;  // nullopt: unknown. Floats and codebooks are always compared as symmetric.
  std::optional<Granularity> granularity = Granularity::tensor;  // nullopt: unknown
  std::int64_t group_size = 0;                                   // for groups
  std::array<std::int64_t, 2> block{};                           // rows and columns of a block
  ScaleTime scales = ScaleTime::fixed;
  FloatKind float_kind = FloatKind::usual;
  std::string scale_type{};   // "e8m0", "e4m3", "float32"; empty: the type of the model
  std::string zero_point{};   // type of stored zero points: "int8"; empty: the type of the values
  bool tensor_scale = false;  // true if a scale of the whole tensor is applied to the scales of groups
  std::string observer{};     // statistic that computes the scales, with its settings; empty: the usual one
  std::string order{};        // order in which columns are quantized: "group"; empty: as they are stored

  // Returns the kind of float, with the usual kind of the number of bits filled in; nullopt for other types.
  [[nodiscard]] std::optional<FloatKind> kind_of_float() const;

  friend bool operator==(const TensorFormat& a, const TensorFormat& b);
};

// The formats of the tensors of a module. Each list is a sequence of quantizers that are applied in order; most have
// one. An empty list: the tensor is not quantized.
struct Scheme {
  std::vector<TensorFormat> weights;
  std::vector<TensorFormat> inputs;
  std::vector<TensorFormat> outputs;
  std::string storage{};  // name of the storage format, if the recipe sets it: "marlin-24"; empty: the usual one

  // Returns true if no tensor is quantized.
  [[nodiscard]] bool is_empty() const { return weights.empty() && inputs.empty() && outputs.empty(); }

  friend bool operator==(const Scheme&, const Scheme&) = default;
};

// Return the names of the printed outcome: "int", "group", "e4m3".
[[nodiscard]] std::string_view to_string(NumberType type);
[[nodiscard]] std::string_view to_string(Granularity granularity);
[[nodiscard]] std::string_view to_string(FloatKind kind);

// Returns a format in words: "int4 in groups of 128", "float8 per token, dynamic".
[[nodiscard]] std::string describe(const TensorFormat& format);
// Returns a sequence of formats in words: "int4 in groups of 128, then float8 per tensor".
[[nodiscard]] std::string describe(const std::vector<TensorFormat>& formats);
// Returns a scheme in words: "weights int4 in groups of 128; inputs int8 per token, dynamic".
[[nodiscard]] std::string describe(const Scheme& scheme);
// Returns a scheme in few words for lists of changes: "int4", "int4 with int8 inputs", "16 bits".
[[nodiscard]] std::string short_name(const Scheme& scheme);
// Returns the short names of two schemes. If they are equal, returns the weights in words, "int8 per channel", and if
// these are equal, too, with the setting in which they differ.
[[nodiscard]] std::array<std::string, 2> different_names(const Scheme& one, const Scheme& other);

// Returns what differs between two schemes, for example "weights int4 -> int3, groups of 128 -> 64". Empty if they are
// equal.
[[nodiscard]] std::string changes(const Scheme& before, const Scheme& after);

}  // namespace sparsecfg::ir
