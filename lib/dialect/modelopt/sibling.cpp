#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/modelopt/library.h"
#include "dialect/modelopt/read.h"

// The constant that does to a model what another one does to models of another architecture.
namespace sparsecfg::dialect::modelopt {

static bool contains(const std::vector<Attributes>& all, const Attributes& each) {
  return std::ranges::find(all, each) != all.end();
}

// Returns the different attributes that the entries of a list assign.
static std::vector<Attributes> attributes_in(const Config& config) {
  std::vector<Attributes> out;
  for (const Entry& entry : config.entries) {
    if (!entry.enable || !entry.cfg) continue;
    for (const Attributes& each : *entry.cfg) {
      if (!contains(out, each)) out.push_back(each);
    }
  }
  return out;
}

static bool has_same(const std::vector<Attributes>& a, const std::vector<Attributes>& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const Attributes& each) { return contains(b, each); });
}

static std::size_t count_quantized(const Config& config, const Applied& applied) {
  std::vector<QuantizedModule> modules = insert_quantizers(applied.modules, config.embeddings);
  if (!apply_entries(picks_of(config.entries), modules)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(modules, [](const QuantizedModule& module) {
    const Quantizer* weight = module.find(Tensor::weights);
    return weight != nullptr && weight->is_on();
  }));
}

static std::ptrdiff_t shared_letters(std::string_view a, std::string_view b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

std::string_view sibling_for_model(const Context& context, const Config& config, const Applied& applied,
                                   std::string_view name) {
  const std::vector<Attributes> own = attributes_in(config);
  diag::Sink unused;
  const Context quiet{context.file, context.document, context.options, unused};
  std::map<std::pair<std::size_t, std::ptrdiff_t>, std::string_view> found;  // the best is the first
  for (const Constant& constant : constants()) {
    const Config other = read_config(quiet, preset(constant.preset));
    if (!has_same(own, attributes_in(other))) continue;
    const std::size_t count = count_quantized(other, applied);
    if (count > 0) found.emplace(std::pair(count, -shared_letters(name, constant.name)), constant.name);
  }
  return found.empty() ? std::string_view() : found.begin()->second;
}

}  // namespace sparsecfg::dialect::modelopt
