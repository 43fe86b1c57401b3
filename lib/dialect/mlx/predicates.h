#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/mlx/config.h"
#include "model/names.h"

// Predicates of `convert`: functions that decide the format of each module (docs/semantics/mlx.md#c2-1).
namespace sparsecfg::dialect::mlx {

// The bits of a recipe such as `mixed_3_6`.
struct MixedBits {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Returns nullopt for other names.
[[nodiscard]] std::optional<MixedBits> bits_of_recipe(std::string_view recipe);

// The function of a recipe for a model.
class Mixed {
 public:
  // Returns nullopt if no module has `down_proj` in its name, with which the program stops.
  [[nodiscard]] static std::optional<Mixed> build(MixedBits bits, bool vision,
                                                  const std::vector<model::Module>& modules);

  // Returns the bits of a module.
  [[nodiscard]] std::int64_t bits_for(std::string_view name) const;

  // Returns the condition for more bits in mlx-lm as Python code over the variable `path`.
  [[nodiscard]] std::string python_condition() const;

 private:
  [[nodiscard]] bool has_more_bits(std::string_view name) const;

  MixedBits bits_;
  bool vision_ = false;
  std::size_t place_ = 0;  // of the number of the layer among the parts of a name
  std::int64_t layers_ = 0;
  bool low_rank_ = false;  // true if the model has `v_a_proj` or `v_b_proj`
};

// Returns the ends of the names of modules that the class of the model keeps at 8 bits in groups of 64, such as
// `mlp.gate`. The predicate of a call replaces that of the class.
[[nodiscard]] std::vector<std::string_view> router_endings(const std::vector<model::Module>& modules);

inline constexpr std::int64_t kRouterBits = 8;
inline constexpr std::int64_t kRouterGroup = 64;

// Returns true for a part of a model that processes images or sound.
[[nodiscard]] bool is_multimodal(std::string_view name);

}  // namespace sparsecfg::dialect::mlx
