#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert/weights.h"
#include "ir/model_names.h"

namespace sparsecfg::convert {

// A weight that a selector matches.
struct TakenWeight {
  std::uint32_t weight = 0;  // its place in the list
  bool certain = true;       // false: the type of the weight's module decides, which is unknown
};

using TakenWeights = std::vector<TakenWeight>;  // by their places, each once

// Looks weights up by the names of their parameters and of their modules.
class WeightMatcher {
 public:
  // The weights must outlive this.
  explicit WeightMatcher(const std::vector<Weight>& weights);

  [[nodiscard]] const std::vector<Weight>& weights() const { return weights_; }

  // Returns the weights that a selector matches.
  [[nodiscard]] TakenWeights taken_by(const ir::Selector& selector) const;

 private:
  // The weights by the names of their parameters and of their modules.
  struct Names {
    Names(const std::vector<Weight>& weights, std::string_view prefix);

    ir::ModelNames parameters;
    ir::ModelNames modules;
  };

  using Terms = std::vector<ir::Term>;

  [[nodiscard]] TakenWeights taken_by(const ir::Selector& selector, const Names& names) const;
  [[nodiscard]] TakenWeights by_module(const ir::Selector& selector, const Names& names) const;
  void visit(const ir::Term& term, const ir::ModelNames& names, auto visitor) const;
  [[nodiscard]] TakenWeights any_of(const Terms& terms, const ir::ModelNames& names) const;
  [[nodiscard]] TakenWeights named(const Terms& terms, const Names& names) const;
  [[nodiscard]] TakenWeights typed(const Terms& terms) const;
  [[nodiscard]] TakenWeights all_uncertain() const;

  const std::vector<Weight>& weights_;
  Names names_;
  std::optional<Names> plain_names_;  // as they are while the model is not wrapped for several devices
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_type_;  // "": those whose type is unknown
};

}  // namespace sparsecfg::convert
