#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/write.h"
#include "source/value.h"

namespace sparsecfg::dialect::distiller {

// The parameters of other dialects' pruners as a schedule has them, by their full names.
class ParameterNames {
 public:
  // Both must outlive it.
  ParameterNames(const WriteOptions& options, diag::Sink& sink) : options_(options), sink_(sink) {}

  // By target. Returns nullopt if they are not known, not in the model or too many with those of earlier calls; that is
  // reported.
  [[nodiscard]] std::optional<std::vector<source::List>> names_of(const ir::Action& action, const ir::Prune& prune,
                                                                  ActionStatus& status);

  // Returns true if Distiller can take such structures out of parameters; of a Linear layer's weight it takes columns
  // alone. Reports a parameter that it can't take them out of, and where that is not known.
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
  std::size_t listed_ = 0;  // names that were returned
};

}  // namespace sparsecfg::dialect::distiller
