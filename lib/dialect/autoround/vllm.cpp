#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/languages.h"
#include "dialect/autoround/read.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/own_schemes.h"
#include "dialect/quantizers/unmatched.h"

// The readers of vLLM and SGLang (docs/semantics/autoround.md#d1-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR301, autoround_vllm_unsupported, error, (Text, Text, Text), "{2} does not support `{0}`: {1}",
           "vLLM and SGLang check the base of a saved configuration before they look at any layer. They load integers "
           "with 2, 3, 4 or 8 bits in the packing formats `auto_round:auto_gptq` and `auto_round:auto_awq`.",
           "write 2, 3, 4 or 8 bits as the base, with other layers as exceptions")

DIAGNOSTIC(AR302, autoround_vllm_parts_differ, error, (Text, Text),
           "{1} requires equal settings for all parts of `{0}`",
           "vLLM and SGLang join these layers and stop with a ValueError if their settings differ.",
           "write one key for all parts")

DIAGNOSTIC(AR303, autoround_vllm_missing_key, error, (Text, Text), "{1} requires `{0}` in the configuration",
           "vLLM and SGLang have no default for this key and stop with a ValueError.", "add `{0}`")

DIAGNOSTIC(AR304, autoround_vllm_ignores_key, silent_warning, (Text, Text), "{1} reads `{0}` only as a full name",
           "AutoRound applies a key without special characters as a part of names. vLLM and SGLang compare it with "
           "whole names.",
           "write `.*{0}`")

DIAGNOSTIC(
    AR305, autoround_vllm_reads_differently, warning, (Text, Text, Text, Text),
    "{3} uses {1} for `{0}`, but the layer is quantized as {2}",
    "vLLM applies an entry for a full name only if it has `bits`. vLLM and SGLang compare other keys without special "
    "characters with whole names, and take block names as starts of names. SGLang also compares patterns with whole "
    "names. Outside of blocks, missing settings are 16 bits, one scale for each channel, and symmetric, not those of "
    "the "
    "base. Other values give errors or wrong results.",
    "write full names with all settings")

namespace {

class RuntimeReading {
 public:
  RuntimeReading(bool sglang, const Context& context, const Saved& saved, const Value* config, const ir::Assign& own,
                 ir::Recipe& recipe)
      : language_(sglang ? kSglang : kVllm),
        title_(sglang ? "SGLang" : "vLLM"),
        context_(context),
        saved_(saved),
        config_(config),
        own_(own),
        recipe_(recipe) {}

  void run() {
    ir::Action& action = recipe_.actions.front();
    action.valid = accepts_keys() && accepts_values();
    if (!action.valid) return;
    if (context_.modules != nullptr) recipe_.units = quantizers::fused_layers(*context_.modules, {});
    ir::Assign assign = lowered(as_runtime_reads(), language_);
    assign.method.settings = own_.method.settings;  // they decide the values that the runtime loads
    if (context_.modules != nullptr) {
      check_parts(assign);
      const bool ignores_keys = config_ != nullptr && check_keys();
      if (action.valid && !ignores_keys) report_difference(assign);
      forget_unmatched(assign);
    }
    if (action.valid) action.operations.emplace_back(std::move(assign));
  }

 private:
  // Returns the configuration. vLLM leaves layers unquantized whose entry has no number of bits.
  [[nodiscard]] Saved as_runtime_reads() const {
    Saved out = saved_;
    if (context_.modules == nullptr || &language_ == &kSglang) return out;
    std::unordered_set<std::string_view> layers;
    for (const model::Module& layer : recipe_.units.items()) layers.insert(layer.name);
    for (LayerSetting& entry : out.entries) {
      if (!entry.fields.bits && layers.contains(entry.key)) entry.fields = plain_fields();
    }
    return out;
  }

  // Reports the first layer of which vLLM expects another scheme than a module has.
  void report_difference(const ir::Assign& assign) const {
    const std::vector<model::Module>& layers = recipe_.units.items();
    const ir::Decisions decisions = language_.decide(assign.selection, assign.schemes, layers);
    const quantizers::OwnSchemes own(own_, *context_.modules);
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool plain =
          decision.kind != ir::Rule::Kind::assigns || decision.reason == ir::Decisions::Reason::not_reached;
      const ir::Scheme used = plain ? ir::Scheme() : assign.schemes[decision.scheme];
      for (const ir::Scheme& each : own.of(layers[at].name)) {
        if (each.weights == used.weights) continue;
        const source::Span place = decision.rule ? assign.selection.rules[*decision.rule].span : saved_.span;
        const auto [wanted, stored] = ir::different_names(used, each);
        context_.sink.report(diag::autoround_vllm_reads_differently, place.empty() ? saved_.span : place,
                             layers[at].name, wanted, stored, title_);
        return;
      }
    }
  }

  bool accepts_keys() {
    for (const std::string_view key : {"bits", "group_size", "sym"}) {
      if (config_ == nullptr || config_->find(key) != nullptr) continue;
      context_.sink.report(diag::autoround_vllm_missing_key, saved_.span, key, title_);
      return false;
    }
    return true;
  }

  bool refuse(std::string_view key, std::string_view why, std::string_view remedy) {
    const Value* value = config_ == nullptr ? nullptr : config_->find(key);
    auto& report = context_.sink.report(diag::autoround_vllm_unsupported, value == nullptr ? saved_.span : value->span,
                                        key, why, title_);
    if (!remedy.empty()) report.with_help(fmt::format("{} {}", config_ == nullptr ? "write" : again(key), remedy));
    return false;
  }

  // A saved file describes its tensors, so most values change only with them.
  static std::string_view again(std::string_view key) {
    return key == "packing_format"                               ? "export the model again with"
           : key == "backend" || key == "block_name_to_quantize" ? "write"
                                                                 : "quantize the model again with";
  }

  // Returns the supported number of bits that is nearest above; empty if the layers are not quantized.
  static std::string nearest_bits(std::int64_t bits) {
    return bits >= 16 ? "" : fmt::format("`bits: {}`", bits <= 2 ? 2 : bits <= 3 ? 3 : bits <= 4 ? 4 : 8);
  }

  // Returns the format in which AutoRound writes tensors for the runtimes.
  [[nodiscard]] std::string fitting_format() const {
    const bool symmetric = saved_.base.sym.value_or(true);
    if (symmetric) return "`format=\"auto_round:auto_gptq\"`";
    return saved_.base.bits.value_or(4) == 4 ? "`format=\"auto_round:auto_awq\"`" : "`sym=True`";
  }

  // Returns the names of the lists of blocks as one string.
  [[nodiscard]] std::string names_of_lists() const {
    std::vector<std::string> lists;
    for (const Block& block : saved_.blocks.value_or(std::vector<Block>())) {
      std::string list = block.text.substr(0, block.text.find_last_not_of("0123456789.") + 1);
      if (std::ranges::find(lists, list) == lists.end()) lists.push_back(std::move(list));
    }
    return fmt::format("`block_name_to_quantize: \"{}\"`", fmt::join(lists, ","));
  }

  bool accepts_values() {
    constexpr std::string_view kLoadedFormats[] = {"", "auto_round:auto_gptq", "auto_round:auto_awq"};
    constexpr std::string_view kBackends[] = {"", "auto", "gptq", "gptq:marlin", "awq", "awq:marlin", "marlin"};
    const std::int64_t bits = saved_.base.bits.value_or(16);
    if (bits != 2 && bits != 3 && bits != 4 && bits != 8)
      return refuse("bits", fmt::format("{} bits", bits), nearest_bits(bits));
    const std::string type = saved_.base.data_type.value_or("int");
    if (type != "int")
      return refuse("data_type", fmt::format("the type `{}`", type), bits == 8 ? "`scheme: W8A16`" : "`scheme: W4A16`");
    if (!base::contains(kLoadedFormats, saved_.packing_format))
      return refuse("packing_format", fmt::format("the format `{}`", saved_.packing_format), fitting_format());
    if (!base::contains(kBackends, saved_.backend))
      return refuse("backend", fmt::format("the backend `{}`", saved_.backend), "`backend: auto`");
    return saved_.nested_blocks ? refuse("block_name_to_quantize", "a list of lists", names_of_lists()) : true;
  }

  void check_parts(const ir::Assign& assign) {
    const auto unequal = unequal_parts(assign, recipe_.units.items());
    if (!unequal) return;
    recipe_.actions.front().valid = false;
    const source::Span place = unequal->rule ? assign.selection.rules[*unequal->rule].span : saved_.span;
    context_.sink.report(diag::autoround_vllm_parts_differ, place, unequal->layer, title_)
        .with_help(fmt::format("write one key for all parts, such as `.*{}`",
                               quantizers::pattern_of_parts(unequal->layer, false)));
  }

  // Keys for single parts of a layer decide, although another part answers for the layer.
  void forget_unmatched(ir::Assign& assign) const {
    const ir::Decisions decisions = language_.decide(assign.selection, assign.schemes, recipe_.units.items());
    quantizers::forget_places(assign.selection, quantizers::unmatched_rules(assign.selection, decisions));
  }

  // Reports keys that the loader of AutoRound applies and vLLM does not. Returns true if there is one.
  bool check_keys() {
    bool reported = false;
    std::unordered_set<std::string_view> layers;
    for (const model::Module& module : *context_.modules) layers.insert(module.name);
    for (const LayerSetting& entry : saved_.entries) {
      const bool plain = entry.key.find_first_of(".*+?^$()[]{}|\\") == std::string::npos;
      if (plain && !layers.contains(entry.key)) {
        context_.sink.report(diag::autoround_vllm_ignores_key, entry.span, entry.key, title_);
        reported = true;
      }
    }
    return reported;
  }

  const ir::Language& language_;
  std::string_view title_;
  const Context& context_;
  const Saved& saved_;
  const Value* config_;
  const ir::Assign& own_;
  ir::Recipe& recipe_;
};

}  // namespace

void read_by_runtime(bool sglang, const Context& context, const Saved& saved, const Value* config,
                     const ir::Assign& own, ir::Recipe& recipe) {
  RuntimeReading(sglang, context, saved, config, own, recipe).run();
}

}  // namespace sparsecfg::dialect::autoround
