#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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

// The first module of each name without numbers, class and shape. The patterns of the constants contain no numbers of
// layers, so they do the same to all modules of a family.
struct Families {
  std::vector<model::Module> modules;
  std::vector<std::size_t> counts;  // of the modules in each family
};

static Families families_of(const std::vector<model::Module>& modules) {
  Families out;
  std::map<std::tuple<std::string, std::string_view, std::optional<model::Shape>>, std::size_t> known;
  for (const model::Module& module : modules) {
    const auto [family, is_new] =
        known.try_emplace({family_of(module.name), module.type, module.shape}, out.modules.size());
    if (is_new) {
      out.modules.push_back(module);
      out.counts.push_back(0);
    }
    ++out.counts[family->second];
  }
  return out;
}

// Returns the lists of all constants, in their order.
static const std::vector<Config>& configs_of_constants() {
  static const std::vector<Config> kConfigs = [] {
    const source::SourceFile file{"", ""};
    const doc::Document document;
    const ReadOptions options;
    diag::Sink unused;
    std::vector<Config> out;
    for (const Constant& constant : constants())
      out.push_back(read_config({file, document, options, unused}, preset(constant.preset)));
    return out;
  }();
  return kConfigs;
}

// Calls visit(constant, config, quantized) for each constant until it returns true. `quantized`: the families of the
// model with the quantizers of the constant.
template <class Visit>
static void try_constants(const Families& families, bool embeddings, const Visit& visit) {
  const std::vector<QuantizedModule> inserted = insert_quantizers(families.modules, embeddings);
  for (std::size_t at = 0; at < constants().size(); ++at) {
    const Config& config = configs_of_constants()[at];
    std::vector<QuantizedModule> quantized = inserted;
    if (apply_entries(picks_of(config.entries), quantized) && visit(constants()[at], config, quantized)) return;
  }
}

static std::ptrdiff_t shared_letters(std::string_view a, std::string_view b) {
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

static const Quantizer* quantizer_of_weights(const QuantizedModule& module) {
  const Quantizer* weight = module.find(Tensor::weights);
  return weight != nullptr && weight->is_on() ? weight : nullptr;
}

std::string_view sibling_for_model(const Config& config, const Applied& applied, std::string_view name) {
  const std::vector<Attributes> own = attributes_in(config);
  const Families families = families_of(applied.modules);
  std::map<std::pair<std::size_t, std::ptrdiff_t>, std::string_view> found;  // the best is the first
  try_constants(families, config.embeddings,
                [&](const Constant& constant, const Config& other, const std::vector<QuantizedModule>& quantized) {
                  std::size_t count = 0;
                  for (const QuantizedModule& module : quantized) {
                    if (quantizer_of_weights(module) != nullptr) count += families.counts[module.index];
                  }
                  if (count > 0 && has_same(own, attributes_in(other)))
                    found.emplace(std::pair(count, -shared_letters(name, constant.name)), constant.name);
                  return false;
                });
  return found.empty() ? std::string_view() : found.begin()->second;
}

// Numbers of modules by the bits of their weights and inputs. Inputs that stay as they are have 16.
using BitCounts = std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>;

static std::int64_t bits_of(const QuantizedModule& module, const Quantizer* quantizer, std::span<const Entry> entries) {
  if (quantizer == nullptr || !quantizer->is_on()) return 16;
  const Attributes all = attributes_of(module, *quantizer, quantizer->steps.front(), entries);
  return all.floating ? 1 + all.floating->exponent + all.floating->mantissa : all.bits;
}

// `counts`: of the modules for which each module stands; empty: one.
static BitCounts bits_of_modules(std::span<const QuantizedModule> modules, std::span<const Entry> entries,
                                 std::span<const std::size_t> counts = {}) {
  BitCounts out;
  for (const QuantizedModule& module : modules) {
    const Quantizer* weight = quantizer_of_weights(module);
    if (weight == nullptr) continue;
    const Quantizer* input = module.find(Tensor::inputs);
    out[{bits_of(module, weight, entries), bits_of(module, input, entries)}] +=
        counts.empty() ? 1 : counts[module.index];
  }
  return out;
}

static bool loads(const Runtime& runtime, Algo algo, const source::Value& algorithm) {
  return std::ranges::find(runtime.accepts, algo) != runtime.accepts.end() &&
         !rejects_name(runtime, name_of(algo, method_of(algorithm)));
}

std::string_view sibling_for_runtime(const Config& config, const Applied& applied, const Runtime& runtime) {
  const BitCounts own = bits_of_modules(applied.quantized, config.entries);
  const Families families = families_of(applied.modules);
  std::string_view out;
  try_constants(families, config.embeddings,
                [&](const Constant& constant, const Config& other, const std::vector<QuantizedModule>& quantized) {
                  if (bits_of_modules(quantized, other.entries, families.counts) != own) return false;
                  const Algo algo = export_of(families.modules, quantized, other.entries).algo;
                  if (loads(runtime, algo, other.algorithm)) out = constant.name;
                  return !out.empty();
                });
  return out;
}

std::string shown_preset(const Context& context, std::string_view constant) {
  if (constant.empty()) return {};
  if (context.is_script()) return shown_code(python::imported_names(context.file), fmt::format("mtq.{}", constant));
  if (!doc::member(context.document, context.document.root, kScriptName)) return {};
  const std::string_view preset = std::ranges::find(constants(), constant, &Constant::name)->preset;
  return fmt::format("`--qformat {}`", preset.substr(preset.rfind('/') + 1));
}

}  // namespace sparsecfg::dialect::modelopt
