#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diag/sink.h"
#include "dialect/nni/model.h"
#include "dialect/write.h"
#include "ir/effect.h"

// NNI prunes the weights of modules where other dialects name parameters.
namespace sparsecfg::dialect::nni {

// The modules whose weights one target of another dialect's pruner takes.
struct Modules {
  std::vector<std::string> names;
  std::vector<std::string> patterns;
  std::vector<std::string> types;

  [[nodiscard]] bool empty() const { return names.empty() && patterns.empty() && types.empty(); }
};

// The pattern over modules that takes those whose weight the pattern over parameters does: `conv\d+$`
// for `conv\d+\.weight$`. Returns nullopt if it does not end with the weight, or has a choice outside of
// parentheses.
[[nodiscard]] std::optional<std::string> pattern_over_modules(std::string_view pattern);

// Writes what other dialects' selectors take as modules.
class Weights {
 public:
  // Both must outlive it.
  Weights(const WriteOptions& options, diag::Sink& sink);

  // By target. Returns nullopt if they can't be determined or hold more than weights, which is reported; the status
  // then says why.
  [[nodiscard]] std::optional<std::vector<Modules>> of(const ir::Action& action, const ir::Prune& prune,
                                                       ActionStatus& status) const;

 private:
  [[nodiscard]] std::optional<std::string> module_of(const std::string& parameter) const;
  [[nodiscard]] bool may_hold_weight(const source::Module& module) const;
  [[nodiscard]] Modules prunable() const;
  void match(const ir::Action& action, const ir::Term& term, Modules& out, ActionStatus& status) const;
  bool add(const std::vector<std::string>& parameters, Modules& out, std::string& reason) const;
  bool add(const ir::Action& action, const ir::Selector& selector, Modules& out, ActionStatus& status,
           std::string& reason) const;
  void report_unnamed(const ir::Action& action, const ir::Selector& selector, ActionStatus& status) const;

  const WriteOptions& options_;
  diag::Sink& sink_;
  Model model_;
  std::unordered_set<std::string_view> containers_;  // modules with others below them
};

}  // namespace sparsecfg::dialect::nni
