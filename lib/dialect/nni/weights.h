#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "ir/effect.h"
#include "model/model.h"

// Conversion of parameter selectors to module selectors: NNI selects modules, other dialects select parameters.
namespace sparsecfg::dialect::nni {

// The modules whose weights are selected by one target of another dialect's pruner.
struct Modules {
  std::vector<std::string> names;
  std::vector<std::string> patterns;
  std::vector<std::string> types;

  [[nodiscard]] bool empty() const { return names.empty() && patterns.empty() && types.empty(); }
};

// Converts a pattern over parameters to a pattern over modules: `conv\d+\.weight$` to `conv\d+$`. Returns nullopt if
// the pattern does not end with `weight`, or has an alternation outside of parentheses.
[[nodiscard]] std::optional<std::string> pattern_over_modules(std::string_view pattern);

// Converts selectors of other dialects to modules.
class Weights {
 public:
  // Both arguments must outlive the object.
  Weights(const WriteOptions& options, diag::Sink& sink);

  // Returns the modules of each target. Returns nullopt if the modules can't be determined or a target selects other
  // tensors than weights; reports this and sets the status.
  [[nodiscard]] std::optional<std::vector<Modules>> of(const ir::Action& action, const ir::Prune& prune,
                                                       ActionStatus& status) const;

 private:
  [[nodiscard]] std::optional<std::string> module_of(const std::string& parameter) const;
  [[nodiscard]] bool may_hold_weight(const model::Module& module) const;
  [[nodiscard]] Modules prunable() const;
  void match(const ir::Action& action, const model::Term& term, Modules& out, ActionStatus& status) const;
  bool add(const std::vector<std::string>& parameters, Modules& out, std::string& reason) const;
  bool add(const ir::Action& action, const model::Selector& selector, Modules& out, ActionStatus& status,
           std::string& reason) const;
  void report_unnamed(const ir::Action& action, const model::Selector& selector, ActionStatus& status) const;

  const WriteOptions& options_;
  diag::Sink& sink_;
  model::Model model_;
  std::unordered_set<std::string_view> containers_;  // modules that contain other modules
  model::ModelNames weights_;                        // the weight of each module
};

}  // namespace sparsecfg::dialect::nni
