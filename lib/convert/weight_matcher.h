#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert/weights.h"
#include "model/model_names.h"

namespace sparsecfg::convert {

// A weight that a selector matches.
struct MatchedWeight {
  std::uint32_t weight = 0;  // index in the list
  bool certain = true;       // false: depends on the module's type, which is unknown
};

using MatchedWeights = std::vector<MatchedWeight>;  // sorted by index, without duplicates

// Finds weights by the names of their parameters and modules.
class WeightMatcher {
 public:
  // The weights must outlive this object.
  explicit WeightMatcher(const std::vector<Weight>& weights);

  [[nodiscard]] const std::vector<Weight>& weights() const { return weights_; }

  // Returns the weights that a selector matches.
  [[nodiscard]] MatchedWeights weights_matched_by(const model::Selector& selector) const;

 private:
  // Names of the weights' parameters and modules, by weight.
  struct Names {
    Names(const std::vector<Weight>& weights, std::string_view prefix, const std::shared_ptr<model::WorkLimit>& limit);

    model::ModelNames parameters;
    model::ModelNames modules;
  };

  using Terms = std::vector<model::Term>;

  [[nodiscard]] MatchedWeights weights_matched_by(const model::Selector& selector, const Names& names) const;
  [[nodiscard]] MatchedWeights by_module(const model::Selector& selector, const Names& names) const;
  void visit(const model::Term& term, const model::ModelNames& names, auto visitor) const;
  [[nodiscard]] MatchedWeights any_of(const Terms& terms, const model::ModelNames& names) const;
  [[nodiscard]] MatchedWeights named(const Terms& terms, const Names& names) const;
  [[nodiscard]] MatchedWeights typed(const Terms& terms) const;
  [[nodiscard]] MatchedWeights all_uncertain() const;

  const std::vector<Weight>& weights_;
  std::shared_ptr<model::WorkLimit> limit_ = std::make_shared<model::WorkLimit>();
  Names names_;
  std::optional<Names> plain_names_;  // without the `module.` prefix of DataParallel
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_type_;  // "": unknown type
};

// Weights that an action of the recipe ranks together (same removed structures or one threshold) and that no action of
// the converted recipe ranks together in the same way.
struct GroupDifference {
  std::size_t action = 0;
  std::string weights;  // "`a` and `b`"
};

// Returns the groups of `recipe` that `written` lacks.
[[nodiscard]] std::vector<GroupDifference> different_groups(const ir::Recipe& recipe, const ir::Recipe& written,
                                                            const WeightMatcher& matcher);

}  // namespace sparsecfg::convert
