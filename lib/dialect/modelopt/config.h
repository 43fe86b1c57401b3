#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/scheme.h"
#include "source/span.h"
#include "source/value.h"

// The list `quant_cfg` as typed values, after imports and old forms are resolved.
namespace sparsecfg::dialect::modelopt {

// Exponent and mantissa bits of a float.
struct FloatBits {
  std::int64_t exponent = 0;
  std::int64_t mantissa = 0;

  friend auto operator<=>(const FloatBits&, const FloatBits&) = default;
};

inline constexpr FloatBits kE4M3{4, 3};
inline constexpr FloatBits kE2M1{2, 1};
inline constexpr FloatBits kE8M0{8, 0};

struct Blocks {
  // Size by axis; nullopt: the whole axis.
  std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> sizes;
  bool dynamic = false;
  std::optional<FloatBits> scale;
  bool text_scale = false;  // the type of the scales is a string that the export does not know
  source::Span span{};

  // Returns the size along the last axis; nullopt if it is absent or the whole axis.
  [[nodiscard]] std::optional<std::int64_t> last() const;

  // Ignores the span.
  friend bool operator==(const Blocks& a, const Blocks& b) {
    return a.sizes == b.sizes && a.dynamic == b.dynamic && a.scale == b.scale && a.text_scale == b.text_scale;
  }
};

// The attributes of a quantizer that decide its format.
struct Attributes {
  std::int64_t bits = 8;              // of an integer
  std::optional<FloatBits> floating;  // nullopt: an integer
  std::string text_bits;              // `num_bits` is a string that only custom backends know
  std::optional<std::int64_t> axis;   // the axis with its own scales; nullopt: one scale, or several axes
  bool several_axes = false;
  std::optional<Blocks> blocks;
  bool dynamic = false;
  bool real = false;  // not simulated
  bool rotated = false;
  bool shifted = false;                    // has a bias
  bool custom = false;                     // has a backend
  bool constant = false;                   // the maximum is a constant
  bool unknown = false;                    // a part is not known without running a script
  std::string others{};                    // further attributes that change values, in words
  std::optional<double> effective_bits{};  // of an element including its scales, for the search
  source::Span span{};
  source::Span bits_span{};
  source::Span axis_span{};
  source::Span histogram{};  // the calibrator, if it collects a histogram

  // Ignores spans.
  friend bool operator==(const Attributes& a, const Attributes& b);
};

// Returns the format in which a quantizer stores or computes a tensor. `weights`: false for activations.
[[nodiscard]] ir::TensorFormat format_of(const Attributes& attributes, bool weights);

struct Entry {
  // How the entry is written.
  enum class Form : std::uint8_t {
    entry,      // with `quantizer_name`
    old_key,    // `{"*weight_quantizer": {...}}`
    old_class,  // `{"nn.Linear": {"*": {...}}}`
    old_default,
  };

  std::string pattern;
  std::string parent;  // empty: any class
  // Attributes to set; several for quantizers in sequence. nullopt: the entry keeps the attributes.
  std::optional<std::vector<Attributes>> cfg;
  bool sequence = false;  // true if `cfg` is a list
  bool enable = true;
  bool sets_enable = false;  // true if `enable` is written
  Form form = Form::entry;
  bool imported = false;  // true if the entry comes from another file
  bool unknown = false;   // true if a part is not known without running a script
  source::Span span{};    // of the pattern
  source::Span whole{};   // of the entry
  source::Span parent_span{};
  source::Span inner_enable{};  // of `enable: false` inside of `cfg`; empty if there is none
};

// Returns true if the entry turns a quantizer on, with or without new attributes.
[[nodiscard]] inline bool turns_on(const Entry& entry) { return entry.enable; }

// Returns true if the pattern of an entry names quantizers of attention, which are those of the cache.
[[nodiscard]] inline bool is_for_cache(const Entry& entry) {
  return entry.pattern.find("bmm_quantizer") != std::string::npos;
}

// Returns true if an entry sets the bits of quantizers, which are on then.
[[nodiscard]] inline bool sets_bits(const Entry& entry) {
  return entry.enable && entry.cfg && !entry.cfg->front().bits_span.empty();
}

// A list of entries, with the algorithm of the calibration.
struct Config {
  std::vector<Entry> entries;
  source::Value algorithm;
  source::Span place{};         // of the section, or of its list
  bool has_list = false;        // false: `quant_cfg` is absent, so its default applies
  bool old_dictionary = false;  // `quant_cfg` is a mapping
  bool open = false;            // true if the list may have other entries
  bool valid = true;            // false if an entry was rejected
  bool embeddings = true;       // false: the release has no quantizers for embeddings
};

}  // namespace sparsecfg::dialect::modelopt
