#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/quantizers/script_code.h"
#include "dialect/torchao/applying.h"
#include "dialect/torchao/config.h"
#include "dialect/torchao/filter.h"
#include "ir/operation.h"
#include "model/names.h"

// The modules that get a configuration: whether its transformation stops at them, skips them, or changes other modules
// than linear layers.
namespace sparsecfg::dialect::torchao {

// Returns true for layers that quantizers of language models quantize.
[[nodiscard]] bool is_linear_or_conv1d(const model::Module& unit);

// The configuration that applies to a module; null: none.
[[nodiscard]] const Config* applied_to(const Configuration& config, const ir::Decisions::Decision& decision);

// Returns true if a module stays unquantized because of its shape.
[[nodiscard]] bool is_unfit(const Configuration& config, const ir::Decisions::Decision& decision,
                            const model::Module& unit);

// Checks the modules that one configuration selects. Each mistake is reported once.
class TargetCheck {
 public:
  // `filter`: of the call, if it can be evaluated. `has_shapes`: modules without a shape have no weight.
  TargetCheck(const Context& context, const Configuration& config, const std::vector<model::Module>& units,
              const Filter* filter, bool has_shapes)
      : context_(context), config_(config), units_(units), filter_(filter), has_shapes_(has_shapes) {}

  // Notes a linear layer that an entry selects, for advice.
  void add_layer(std::uint32_t rule, std::string_view name) { layers_[rule].insert(name); }

  // Checks a module that a configuration selects.
  void check(const ir::Decisions::Decision& decision, const model::Module& unit);
  // Notes a module if its shape does not fit.
  void check_shape(const ir::Decisions::Decision& decision, const model::Module& unit);

  // Reports the modules whose shapes do not fit. Returns false if the call stops.
  bool finish();

 private:
  // What is reported once for each entry.
  enum class Mistake : std::uint8_t { no_weight, values, target, dimensions, type };

  // Modules whose shapes do not fit a configuration.
  struct Unfit {
    Misfitting first;
    std::vector<std::string> names;
    std::set<std::uint64_t> sizes;
  };

  [[nodiscard]] source::Span place_of(const ir::Decisions::Decision& decision) const;
  [[nodiscard]] std::string key_of(const ir::Decisions::Decision& decision) const;
  void check_type(const Config& applied, std::uint32_t number);
  void add_unfit(const ir::Decisions::Decision& decision, const model::Module& unit, const Misfitting& misfit);
  void report_unfit(std::uint32_t number, const Unfit& unfit);
  [[nodiscard]] std::string help_for(const Config& config, const Unfit& unfit, bool in_map) const;
  [[nodiscard]] std::string part_of_names(const std::vector<std::string>& names) const;
  void advise_on_filter(diag::Diagnostic& report) const;
  void advise_on_pattern(diag::Diagnostic& report, const std::string& key, std::uint32_t rule) const;
  void advise_on_container(diag::Diagnostic& report, const std::string& key) const;

  const Context& context_;
  const Configuration& config_;
  const std::vector<model::Module>& units_;
  const Filter* filter_;
  bool has_shapes_;
  bool valid_ = true;
  std::set<std::pair<std::uint32_t, Mistake>> reported_{};      // by entry; UINT32_MAX: of the whole configuration
  std::map<std::uint32_t, Unfit> unfit_{};                      // likewise
  std::map<std::uint32_t, std::set<std::string_view>> layers_;  // last words of the linear layers of each rule
};

// Returns the last parts of the names of all layers that is_linear_or_conv1d() accepts.
[[nodiscard]] std::vector<std::string_view> names_of_layers(const std::vector<model::Module>& units);

// Returns a filter for the linear layers without any of the parts in their names.
[[nodiscard]] quantizers::ScriptCode skipping_filter(const source::SourceFile& file,
                                                     const std::vector<std::string>& parts);

// Returns the condition of a filter that leaves out modules with a part of their names, as the argument of a call
// without a filter or as an addition to its filter.
[[nodiscard]] std::string filter_without(const source::SourceFile& file, const std::vector<std::string>& parts,
                                         const Filter* filter);

}  // namespace sparsecfg::dialect::torchao
