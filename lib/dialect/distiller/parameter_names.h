#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "model/model.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

// Resolves the selectors of other dialects' pruners to full parameter names, which Distiller requires.
class ParameterNames {
 public:
  // `options` and `sink` must outlive this object.
  ParameterNames(const WriteOptions& options, diag::Sink& sink)
      : options_(options), sink_(sink), model_(options.read.modules.get(), options.parameters) {}

  // Returns the names for each target. Returns nullopt and reports if they are unknown, are not in the model, or
  // exceed the node limit together with those of earlier calls.
  [[nodiscard]] std::optional<std::vector<source::List>> names_of(const ir::Action& action, const ir::Prune& prune,
                                                                  ActionStatus& status);

  // Returns true if Distiller can remove the structures of `prune` from the parameters. Linear layers support columns
  // only. Reports parameters that don't fit, and parameters of unknown shape.
  [[nodiscard]] bool fit(const ir::Action& action, const ir::Prune& prune, const std::vector<source::List>& names,
                         ActionStatus& status) const;

  // Returns the number of weights of a parameter; nullopt if its shape is unknown.
  [[nodiscard]] std::optional<double> elements_of(const std::string& name) const;

 private:
  [[nodiscard]] std::optional<std::size_t> dimensions_of(const std::string& name) const;
  void add_known(source::List& names, const std::string& name) const;
  std::optional<std::vector<source::List>> some_of_model(const ir::Action& action, std::vector<source::List> names,
                                                         ActionStatus& status);

  const WriteOptions& options_;
  diag::Sink& sink_;
  model::Model model_;
  std::size_t listed_ = 0;  // number of names returned so far
};

}  // namespace sparsecfg::dialect::distiller
