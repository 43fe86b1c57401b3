#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/scheme.h"
#include "source/value.h"

// Schemes of AutoRound: presets, and fields that change them (docs/semantics/autoround.md#a1-1).
namespace sparsecfg::dialect::autoround {

// The size of groups: a number, or rows and columns of a block.
struct Group {
  std::int64_t size = -1;  // -1: a channel; 0: the tensor
  std::array<std::int64_t, 2> block{};

  friend bool operator==(const Group&, const Group&) = default;
};

// Layers with more bits are not quantized.
inline constexpr std::int64_t kMostBits = 8;
inline constexpr std::int64_t kMostBitsInVllm = 15;

// The fields of a scheme that are set.
struct Fields {
  std::optional<std::int64_t> bits;
  std::optional<Group> group_size;
  std::optional<bool> sym;
  std::optional<std::string> data_type;
  std::optional<std::int64_t> act_bits;
  std::optional<Group> act_group_size;
  std::optional<bool> act_sym;
  std::optional<std::string> act_data_type;
  std::optional<bool> act_dynamic;

  // Returns true if no tensor has `most` bits or less.
  [[nodiscard]] bool is_plain(std::int64_t most = kMostBits) const {
    return bits.value_or(16) > most && act_bits.value_or(16) > most;
  }

  friend bool operator==(const Fields&, const Fields&) = default;
};

// Returns the fields with those of `changes` replaced.
[[nodiscard]] Fields merged(Fields start, const Fields& changes);

// Returns the names of all presets.
[[nodiscard]] std::span<const std::string_view> preset_names();

// Returns the types of GGUF, which are presets and formats, as names of formats: "gguf:q4_k_m".
[[nodiscard]] std::span<const std::string_view> gguf_names();

// Returns the usual type of GGUF with this number of bits; empty if there is none.
[[nodiscard]] std::string_view gguf_name_for(std::int64_t bits);

// Returns true for the name of a scheme or format of GGUF, in any case.
[[nodiscard]] bool is_gguf(std::string_view name);

// Returns the fields of a preset, in any case; nullopt for other names.
[[nodiscard]] std::optional<Fields> preset(std::string_view name);

// What to write for the name of a format in another system.
struct PresetMeant {
  // An argument beside the preset.
  struct Change {
    std::string_view argument;
    source::Value value;
  };

  std::string_view name;        // of a preset; empty: none has the format
  std::vector<Change> changes;  // that give the preset this format
  std::string help;             // if none has the format
};

// Returns what to write for a preset of llm-compressor or another name of a format; nullopt for other words.
[[nodiscard]] std::optional<PresetMeant> preset_meant_by(const std::string& word);

// Sets the bits that a type such as `fp8` contains, and removes the digit from the type.
void use_digits(std::optional<std::string>& type, std::optional<std::int64_t>& bits, bool replaces);

// Returns the fields of the arguments or keys in a mapping.
[[nodiscard]] Fields fields_of(const source::Value& mapping);

// Returns the scheme of the fields. An empty scheme: the layer stays in 16 bits.
[[nodiscard]] ir::Scheme scheme_of(const Fields& fields, std::int64_t most = kMostBits);

// Fields of a layer that is not quantized.
[[nodiscard]] Fields plain_fields();

}  // namespace sparsecfg::dialect::autoround
