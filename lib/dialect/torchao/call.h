#pragma once

#include <optional>
#include <set>
#include <vector>

#include "dialect/torchao/config.h"
#include "dialect/torchao/filter.h"
#include "dialect/torchao/program.h"
#include "ir/operation.h"
#include "model/names.h"

// One call of `quantize_`.
namespace sparsecfg::dialect::torchao {

struct CallReading {
  bool valid = false;  // false: the call stops, or it can't be read
  Configuration config{};
  std::optional<Filter> filter{};
  bool default_filter = false;  // true if all linear layers are selected
  // The layers that the call reaches, and their schemes. Those of a configuration in steps are those of its base.
  std::optional<ir::Assign> assign{};
  std::set<source::Span> evaluated{};  // places of functions whose results are known

  // Returns the configuration for all layers; null for a map.
  [[nodiscard]] const Config* all() const { return config.all ? &*config.all : nullptr; }
};

// Reads a call, whose name is at `name`. `units`: of the model, or empty. `prepared`: the units that a configuration in
// steps can convert.
[[nodiscard]] CallReading read_call(const Context& context, const Program& program,
                                    const std::vector<model::Module>& units, const std::vector<bool>& prepared,
                                    const source::Value& call, source::Span name);

// Reports a key or filter that matches only names before `torch.compile`. `what`: "the filter", or a key in backticks.
void report_compiled_names(const Context& context, source::Span place, const std::string& what, source::Span compiled);

}  // namespace sparsecfg::dialect::torchao
