#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dialect/torchao/config.h"
#include "model/names.h"

// What the transformations of layers reject, although the constructors accept it.
namespace sparsecfg::dialect::torchao {

// Why a transformation stops, with the place and the remedy.
struct Rejection {
  std::string why;
  source::Span place{};
  std::string help{};
};

// Returns why the transformation of a layer rejects the values of a configuration; nullopt if it does not.
[[nodiscard]] std::optional<Rejection> rejection_of(const Config& config);

// Returns why the transformation rejects weights with this number of dimensions; nullopt if it does not.
[[nodiscard]] std::optional<Rejection> unfit_dimensions(const Config& config, const model::Module& unit);

// A number that must divide the rows or columns of a weight, but does not.
struct Misfitting {
  std::uint64_t multiple = 0;
  std::uint64_t size = 0;  // rows or columns
  bool rows = false;
  bool stops = false;  // true: the transformation raises an error; false: it leaves the weight unquantized
};

// Returns what does not fit in the shape of a weight; nullopt if all fits (docs/semantics/torchao.md#b1-8).
[[nodiscard]] std::optional<Misfitting> misfit_of(const Config& config, const model::Module& unit);

// Types of weights that a transformation requires.
struct RequiredTypes {
  std::span<const std::string_view> types;
  source::Span place;  // of the argument that causes it
  std::string what;    // "`PerRow()`"
};

// Returns the types to which the weights are limited; nullopt if all are accepted.
[[nodiscard]] std::optional<RequiredTypes> required_types(const Config& config);

}  // namespace sparsecfg::dialect::torchao
