#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/modelopt/command_line.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/exported.h"
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

using Ranked = std::map<std::pair<std::size_t, std::ptrdiff_t>, std::string_view>;  // the best is the first

static std::string_view best_of(const Ranked& found) {
  return found.empty() ? std::string_view() : found.begin()->second;
}

std::string_view sibling_for_model(const Context& context, const Config& config, const Applied& applied,
                                   std::string_view name) {
  const std::vector<Attributes> own = attributes_in(config);
  diag::Sink unused;
  const Context quiet{context.file, context.document, context.options, unused};
  Ranked found;
  for (const Constant& constant : constants()) {
    const Config other = read_config(quiet, preset(constant.preset));
    if (!has_same(own, attributes_in(other))) continue;
    const std::size_t count = count_quantized(other, applied);
    if (count > 0) found.emplace(std::pair(count, -shared_letters(name, constant.name)), constant.name);
  }
  return best_of(found);
}

// Numbers of modules by the bits of their weights and inputs. Inputs that stay as they are have 16.
using BitCounts = std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>;

static std::int64_t bits_of(const QuantizedModule& module, const Quantizer* quantizer, std::span<const Entry> entries) {
  if (quantizer == nullptr || !quantizer->is_on()) return 16;
  const Attributes all = attributes_of(module, *quantizer, quantizer->steps.front(), entries);
  return all.floating ? 1 + all.floating->exponent + all.floating->mantissa : all.bits;
}

static BitCounts bits_of_modules(std::span<const QuantizedModule> modules, std::span<const Entry> entries) {
  BitCounts out;
  for (const QuantizedModule& module : modules) {
    const Quantizer* weight = module.find(Tensor::weights);
    if (weight == nullptr || !weight->is_on()) continue;
    ++out[{bits_of(module, weight, entries), bits_of(module, module.find(Tensor::inputs), entries)}];
  }
  return out;
}

std::string_view sibling_for_runtime(const Context& context, const Config& config, const Applied& applied,
                                     const Runtime& runtime) {
  const BitCounts own = bits_of_modules(applied.quantized, config.entries);
  diag::Sink unused;
  const Context quiet{context.file, context.document, context.options, unused};
  for (const Constant& constant : constants()) {
    const Config other = read_config(quiet, preset(constant.preset));
    std::vector<QuantizedModule> modules = insert_quantizers(applied.modules, other.embeddings);
    if (!apply_entries(picks_of(other.entries), modules) || bits_of_modules(modules, other.entries) != own) continue;
    const Algo algo = export_of(applied.modules, modules, other.entries).algo;
    const bool loads = std::ranges::find(runtime.accepts, algo) != runtime.accepts.end();
    if (loads && !rejects_name(runtime, name_of(algo, method_of(other.algorithm)))) return constant.name;
  }
  return {};
}

std::string shown_preset(const Context& context, std::string_view constant) {
  if (constant.empty()) return {};
  if (context.is_script()) return shown_code(python::imported_names(context.file), fmt::format("mtq.{}", constant));
  if (!doc::member(context.document, context.document.root, kScriptName)) return {};
  const std::string_view preset = std::ranges::find(constants(), constant, &Constant::name)->preset;
  return fmt::format("`--qformat {}`", preset.substr(preset.rfind('/') + 1));
}

}  // namespace sparsecfg::dialect::modelopt
