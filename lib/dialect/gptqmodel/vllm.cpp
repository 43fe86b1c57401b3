#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/languages.h"
#include "dialect/gptqmodel/read.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/own_schemes.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/runtime_names.h"
#include "dialect/quantizers/selection.h"
#include "dialect/quantizers/unmatched.h"
#include "dialect/runtime_option.h"
#include "model/matcher.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"

// The reader of vLLM (docs/semantics/gptqmodel.md#d1-1).
namespace sparsecfg::dialect::gptqmodel {

using source::Value;

DIAGNOSTIC(GQ301, gptq_vllm_unsupported, error, (Text, Text), "vLLM does not support {}: {}",
           "vLLM loads GPTQ layers only with 4 or 8 bits, and only if they are symmetric. It stops at any other layer.",
           "write `bits: 4` or `bits: 8`, and `sym: true`")

DIAGNOSTIC(GQ302, gptq_vllm_missing_key, error, (Text), "vLLM requires `{}` in the file",
           "vLLM has no default for this key and stops with a ValueError.", "add `{0}`")

DIAGNOSTIC(GQ303, gptq_vllm_parts_differ, error, (Text), "vLLM requires that all parts of `{}` are quantized, or none",
           "vLLM joins these layers. It stops if only some of them are in its list of quantized layers, which is "
           "`modules_in_block_to_quantize` or the tensors of the checkpoint.",
           "exclude all parts or none")

DIAGNOSTIC(GQ304, gptq_vllm_reads_differently, warning, (Text, Text, Text),
           "vLLM uses {1} for `{0}`, but the layer is quantized as {2}",
           "vLLM matches patterns with the names of joined layers, and experts are one layer. Wrong values cause an "
           "error when the weights are loaded, or wrong results.",
           "write one entry that matches all parts and the joined name")

DIAGNOSTIC(
    GQ306, gptq_vllm_columns, error, (Text, std::uint64_t, std::uint64_t, std::uint64_t),
    "the {1} columns of `{0}` on {2} GPUs are no multiple of {3}",
    "vLLM divides the columns of `o_proj` and `down_proj` between the GPUs, and each part must have whole groups.",
    "use fewer GPUs, or a smaller group size")

DIAGNOSTIC(
    GQ308, gptq_rotation_not_read, error, (Text),
    "vLLM does not rotate the inputs of `down_proj`, as `rotation: {}` requires",
    "GPTQModel multiplies the weights of `down_proj` with a Hadamard matrix, and its own kernels do the same with the "
    "inputs. vLLM does not read the key. The model loads, and its results are wrong.",
    "delete `rotation`, or run the result with GPTQModel")

DIAGNOSTIC(
    GQ309, gptq_order_not_read, error, (), "vLLM 0.30 ignores the order of the columns that `desc_act: true` stores",
    "With `desc_act`, a group contains columns from anywhere in the matrix, and the tensor `g_idx` assigns them. "
    "vLLM 0.30 removed this order from its kernels and does not read `g_idx`. The model loads, and its weights "
    "get scales of other groups.",
    "write `desc_act=False`, or use vLLM 0.29")

namespace {

// The list of quantized layers.
class ListedNames {
 public:
  explicit ListedNames(std::vector<std::string> names) : names_(std::move(names)) {
    for (std::uint32_t at = 0; at < names_.size(); ++at) index_.add(selectors::How::substring, names_[at], at);
    index_.finish({}, budget_);
  }

  // Returns true if one of the names is a part of a name.
  [[nodiscard]] bool occur_in(std::string_view name) const {
    std::vector<std::uint32_t> found;
    return !index_.find(name, budget_, found) || !found.empty();
  }

 private:
  std::vector<std::string> names_;
  mutable base::Budget budget_ = selectors::assignment_budget();
  selectors::TermIndex index_;
};

// Reads a configuration as vLLM does.
class VllmReading {
 public:
  VllmReading(const Context& context, const Config& config, const ReadOptions& options, ir::Recipe& recipe)
      : context_(context), config_(config), options_(options), recipe_(recipe), base_(config.base) {}

  void run() {
    if (config_.method != Method::gptq) return;  // vLLM reads other methods with other code
    report_missing_keys();
    report_rotation();
    report_order();
    if (config_.saved) base_ = values_for_vllm(config_.values, base_);
    if (!accepts(base_, "the configuration", config_.span, config_.values)) return reject();
    read_entries();
    if (options_.modules != nullptr) use_layers();
    if (recipe_.actions.front().valid)
      recipe_.actions.front().operations.insert(recipe_.actions.front().operations.begin(), assign_);
  }

 private:
  void reject() { recipe_.actions.front().valid = false; }

  void report_missing_keys() {
    constexpr std::string_view kRequired[] = {"bits", "group_size", "desc_act", "sym"};
    constexpr std::string_view kExamples[] = {"`bits: 4`", "`group_size: 128`", "`desc_act: false`", "`sym: true`"};
    for (std::size_t at = 0; at < std::size(kRequired); ++at) {
      if (!config_.saved || config_.values.find(kRequired[at]) != nullptr) continue;
      context_.sink.report(diag::gptq_vllm_missing_key, config_.span, kRequired[at])
          .with_help(fmt::format("add {}", kExamples[at]));
      reject();
    }
  }

  void report_rotation() {
    const Value* rotation = config_.values.find("rotation");
    const auto* kind = rotation == nullptr ? nullptr : rotation->get<std::string>();
    if (kind == nullptr || context_.is_unknown(*rotation)) return;
    context_.sink.report(diag::gptq_rotation_not_read, rotation->span, *kind);
  }

  // A row is one group in any order, and static groups keep the original one.
  void report_order() {
    const Value* order = config_.values.find("desc_act");
    const Value* fixed = config_.values.find("static_groups");
    const bool ordered = base_.desc_act && base_.group_size > 0 && order != nullptr && !config_.unknown;
    const bool kept = fixed != nullptr && (context_.is_unknown(*fixed) || fixed->number() != 0.0);
    if (!ordered || kept || context_.is_unknown(*order) || release_of_vllm(options_) < kNoColumnOrder) return;
    auto& report = context_.sink.report(diag::gptq_order_not_read, order->span);
    if (!names_release(options_)) report.with_severity(diag::Severity::warning);  // older ones may be in use
    if (config_.saved) report.with_help("quantize the model again with `desc_act=False`, or use vLLM 0.29");
  }

  // Reports a scheme that vLLM does not support, at its first unsupported value in `values`.
  bool accepts(const Layer& layer, std::string_view name, source::Span span, const Value& values) {
    const bool bits = quantizers::vllm_loads_gptq(layer.bits, true);
    if (quantizers::vllm_loads_gptq(layer.bits, layer.symmetric)) return true;
    const Value* written = values.find(bits ? "sym" : "bits");
    auto& report = context_.sink.report(
        diag::gptq_vllm_unsupported, written == nullptr ? span : written->span, name,
        fmt::format("{} bits, {}", layer.bits, layer.symmetric ? "symmetric" : "with zero points"));
    const std::string nearest = layer.bits > 4 ? "8" : "4";
    const std::string symmetric = layer.symmetric ? "" : "`sym: true`";
    const std::string entries =
        bits ? symmetric : fmt::format("`bits: {}`{}{}", nearest, symmetric.empty() ? "" : " and ", symmetric);
    report.with_help(fmt::format("{} {}", config_.saved ? "quantize the model again with" : "write", entries));
    if (!config_.saved && written != nullptr && (bits || layer.symmetric))
      report.with_fix(diag::Fix::unsafe().replace(written->span, bits ? "true" : nearest));
    return false;
  }

  // Returns the values that vLLM uses: those of the right type, under names that are spelled as in vLLM.
  [[nodiscard]] static Layer values_for_vllm(const Value& values, Layer out) {
    const auto integer = [&](std::string_view name, std::int64_t& value) {
      const Value* written = values.find(name);
      const bool usable =
          written != nullptr && (written->get<std::int64_t>() != nullptr || written->get<bool>() != nullptr);
      if (usable) value = static_cast<std::int64_t>(*written->number());
    };
    const auto boolean = [&](std::string_view name, bool& value) {
      const Value* written = values.find(name);
      if (written != nullptr && written->get<bool>() != nullptr) value = *written->get<bool>();
    };
    integer("bits", out.bits);
    integer("group_size", out.group_size);
    boolean("sym", out.symmetric);
    boolean("desc_act", out.desc_act);
    return out;
  }

  // GPTQModel writes the values of a call as it has read them.
  [[nodiscard]] Layer layer_for_vllm(const Entry& entry) const {
    return config_.saved ? values_for_vllm(entry.values, base_) : layer_of(entry, base_);
  }

  // Returns the values of the entry of a rule.
  [[nodiscard]] const Value& values_of(std::uint32_t rule) const {
    return (config_.saved ? config_.as_written : config_.dynamic)[rule].values;
  }

  // A saved file keeps its order. A file that GPTQModel writes has the order of the object.
  void read_entries() {
    assign_.method = {"gptq", "GPTQ", settings_of(context_, config_)};
    assign_.selection.language = &kVllm;
    assign_.selection.unknown = config_.unknown;
    assign_.selection.otherwise = quantizers::add_scheme(assign_.schemes, scheme_of(config_, base_));
    for (const Entry& entry : config_.saved ? config_.as_written : config_.dynamic) {
      const bool negative = entry.is_negative();
      layers_.push_back(layer_for_vllm(entry));
      ir::Rule rule{entry.pattern, entry.span, negative ? ir::Rule::Kind::excludes : ir::Rule::Kind::assigns, 0,
                    entry.unknown || config_.unknown};
      if (!negative) rule.scheme = quantizers::add_scheme(assign_.schemes, scheme_of(config_, layers_.back()));
      assign_.selection.rules.push_back(std::move(rule));
    }
  }

  void use_layers() {
    own_assign_ = lowered(config_);
    own_ = own_assign_.selection.language->decide(own_assign_.selection, own_assign_.schemes, *options_.modules);
    const std::vector<model::Module> layers =
        quantizers::fused_layers(*options_.modules, {.head = false, .experts = true});
    recipe_.units = layers;
    ir::Assign tensors;
    tensors.selection.language = &kVllmTensors;
    const ListedNames listed(quantized_names());
    const ir::Decisions decisions = kVllm.decide(assign_.selection, assign_.schemes, layers);
    std::size_t at = 0;
    for (const selectors::Module& layer : quantizers::runtime_modules(layers)) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at++]];
      if (layer.facts.has(selectors::Fact::experts) || is_listed(layer, listed)) continue;
      unquantized_.insert(layer.name);
      if (decision.kind == ir::Rule::Kind::excludes) continue;  // an entry excludes it
      tensors.selection.rules.push_back({layer.name, config_.span, ir::Rule::Kind::excludes, 0});
    }
    check_layers(layers, decisions);
    if (recipe_.actions.front().valid) check_columns(layers, decisions);
    if (recipe_.actions.front().valid) report_difference(layers, decisions);
    // vLLM relies on the tensors, so an entry that matches none of its layers is no fault.
    quantizers::forget_places(assign_.selection, quantizers::unmatched_rules(assign_.selection, decisions));
    if (!recipe_.actions.front().valid || tensors.selection.rules.empty()) return;
    recipe_.actions.front().operations.emplace_back(std::move(tensors));
  }

  // Returns the entries of the list in the file, or the layers whose tensors are quantized.
  [[nodiscard]] std::vector<std::string> quantized_names() const {
    std::vector<std::string> out;
    const Value* listed = config_.saved ? config_.values.given("modules_in_block_to_quantize") : nullptr;
    const auto* list = listed == nullptr ? nullptr : listed->get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) add_texts((*list)[at], out);
    if (!out.empty()) return out;
    for (std::size_t at = 0; at < own_.of_modules.size(); ++at) {
      const bool quantized = own_.entries[own_.of_modules[at]].kind == ir::Rule::Kind::assigns;
      const bool reached = own_.entries[own_.of_modules[at]].reason != ir::Decisions::Reason::not_reached;
      if (quantized && reached) out.push_back((*options_.modules)[at].name);
    }
    return out;
  }

  static void add_texts(const Value& value, std::vector<std::string>& out) {
    if (const auto* text = value.get<std::string>()) out.push_back(*text);
    const auto* list = value.get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) add_texts((*list)[at], out);
  }

  bool is_listed(const selectors::Module& layer, const ListedNames& listed) {
    if (layer.parts.empty()) return listed.occur_in(layer.name);
    const auto count = std::ranges::count_if(layer.parts, [&](const auto& part) { return listed.occur_in(part); });
    const bool all = count == static_cast<std::ptrdiff_t>(layer.parts.size());
    if (count > 0 && !all && !reported_) {
      reported_ = true;
      const ir::Rule* entry = entry_without(layer, listed);
      context_.sink.report(diag::gptq_vllm_parts_differ, entry == nullptr ? config_.span : entry->span, layer.name)
          .with_cause(entry == nullptr ? source::Span() : entry->span)
          .with_help(help_for_parts(layer, entry));
      reject();
    }
    return all;
  }

  // Returns the entry with an end, if it then matches no part of the layer: `-:.*mlp\.gate$` for `-:.*mlp\.gate.*`,
  // which also matches `gate_proj`. Otherwise, returns the pattern for all parts.
  static std::string help_for_parts(const selectors::Module& layer, const ir::Rule* entry) {
    const std::string all = fmt::format("exclude all parts or none, for example with `-:.*{}$`",
                                        quantizers::pattern_of_parts(layer.name, true));
    std::string_view text = entry == nullptr ? std::string_view() : std::string_view(entry->entry);
    if (!text.starts_with("-:")) return all;
    if (text.ends_with(".*")) text.remove_suffix(2);
    if (text.empty() || !base::is_letter(text.back())) return all;
    const std::string meant = fmt::format("{}$", text);
    const model::Matcher matcher(meant.substr(2));
    const auto is_apart = [&](const auto& part) { return matcher.match(part) == regex::Match::no; };
    if (matcher.error() || !std::ranges::all_of(layer.parts, is_apart)) return all;
    return fmt::format("write `{}`, which matches no part of `{}`", meant, base::last_part(layer.name));
  }

  // Returns the entry that leaves a part of a joined layer out; null if there is none.
  [[nodiscard]] const ir::Rule* entry_without(const selectors::Module& layer, const ListedNames& listed) const {
    for (const auto& part : layer.parts) {
      const auto module = std::ranges::find(*options_.modules, part, &model::Module::name);
      if (listed.occur_in(part) || module == options_.modules->end()) continue;
      const auto& rule =
          own_.entries[own_.of_modules[static_cast<std::size_t>(module - options_.modules->begin())]].rule;
      const ir::Rule* entry = rule ? &own_assign_.selection.rules[*rule] : nullptr;
      if (entry != nullptr && !entry->span.empty()) return entry;
    }
    return nullptr;
  }

  // An entry that decides the parts of joined layers, and its text that also matches these layers.
  struct Joined {
    source::Span span;
    std::string text;
    std::string layer;  // the first one
  };

  // Returns the entry that decides the first part of a joined layer; null if there is none.
  [[nodiscard]] const ir::Rule* entry_of_parts(const std::string& layer) const {
    const std::vector<std::string> parts = quantizers::parts_of(layer);
    const auto first = parts.empty() ? options_.modules->end()
                                     : std::ranges::find(*options_.modules, parts.front(), &model::Module::name);
    if (first == options_.modules->end()) return nullptr;
    const auto& rule = own_.entries[own_.of_modules[static_cast<std::size_t>(first - options_.modules->begin())]].rule;
    const ir::Rule* entry = rule ? &own_assign_.selection.rules[*rule] : nullptr;
    return entry == nullptr || entry->span.empty() ? nullptr : entry;
  }

  // Adds the text with which the entry of the parts also matches a layer. Returns false if there is none.
  bool add_joined(const std::string& layer, std::vector<Joined>& out) const {
    const ir::Rule* entry = entry_of_parts(layer);
    if (entry == nullptr) return false;
    const auto known = std::ranges::find(out, entry->span, &Joined::span);
    const std::string& text = known == out.end() ? entry->entry : known->text;
    const model::Matcher matcher{text.substr(text.starts_with("+:") || text.starts_with("-:") ? 2 : 0)};
    if (known != out.end() && matcher.match(layer) == regex::Match::yes) return true;
    std::string meant = quantizers::entry_for_joined(text, layer, "");
    if (meant.empty()) return false;
    if (known != out.end()) {
      known->text = std::move(meant);
    } else {
      out.push_back({entry->span, std::move(meant), layer});
    }
    return true;
  }

  // Points at the first entry, and offers the texts of all.
  static void offer_joined(diag::Diagnostic& report, const std::vector<Joined>& entries) {
    const std::string_view layer = base::last_part(entries.front().layer);
    std::vector<std::string> texts;
    diag::Fix fix = diag::Fix::unsafe();
    for (const Joined& each : entries) {
      texts.push_back(each.text);
      fix.content(each.span, each.text);
    }
    report.span = entries.front().span;
    report.with_caret(fmt::format("matches the parts, but not `{}`", layer)).with_fix(std::move(fix));
    if (entries.size() == 1) {
      report.with_help(fmt::format("write `{}`, which also matches `{}`", texts.front(), layer));
      return;
    }
    const Joined& second = entries[1];
    report.with_label(second.span, fmt::format("the same for `{}`", base::last_part(second.layer)))
        .with_help(fmt::format("write `{}`, which also match the joined layers", fmt::join(texts, "` and `")));
  }

  // The parts of a joined layer in a file have different formats, which no edit of the file changes.
  void advise_on_saved(diag::Diagnostic& report, const std::string& layer) const {
    for (const std::string& part : quantizers::parts_of(layer)) {
      const auto module = std::ranges::find(*options_.modules, part, &model::Module::name);
      if (module == options_.modules->end()) continue;
      const auto& rule =
          own_.entries[own_.of_modules[static_cast<std::size_t>(module - options_.modules->begin())]].rule;
      if (!rule || own_assign_.selection.rules[*rule].span.empty()) continue;
      report.span = own_assign_.selection.rules[*rule].span;
      report.with_caret(fmt::format("matches only a part of `{}`", base::last_part(layer)));
      break;
    }
    report.with_help(fmt::format("quantize the model again with one entry, such as `+:.*{}$`",
                                 quantizers::pattern_of_parts(layer, false)));
  }

  // A layer for which vLLM expects another scheme than a module has.
  struct Difference {
    std::size_t layer;
    ir::Scheme used;
    ir::Scheme own;

    // Returns true if the stored tensors do not have the sizes that vLLM expects, so that the load stops.
    [[nodiscard]] bool is_packed_otherwise() const {
      if (own.weights.empty() || used.weights.empty()) return true;
      return own.weights.front().bits != used.weights.front().bits ||
             own.weights.front().group_size != used.weights.front().group_size;
    }
  };

  // Returns the difference at which vLLM stops, or else the first one; nullopt if all schemes are equal.
  [[nodiscard]] static std::optional<Difference> difference_of(std::size_t layer, const ir::Scheme& used,
                                                               const std::vector<ir::Scheme>& own) {
    std::optional<Difference> out;
    for (const ir::Scheme& each : own) {
      if (each.weights == used.weights) continue;
      Difference difference{layer, used, each};
      if (difference.is_packed_otherwise()) return difference;
      if (!out) out = std::move(difference);
    }
    return out;
  }

  [[nodiscard]] std::vector<Difference> differences(const std::vector<model::Module>& layers,
                                                    const ir::Decisions& decisions,
                                                    const quantizers::OwnSchemes& modules) const {
    std::vector<Difference> out;
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool plain = unquantized_.contains(layers[at].name) || decision.kind != ir::Rule::Kind::assigns;
      const ir::Scheme used = plain ? ir::Scheme() : assign_.schemes[decision.scheme];
      if (auto found = difference_of(at, used, modules.of(layers[at].name))) out.push_back(std::move(*found));
    }
    return out;
  }

  // Reports all layers of which vLLM expects another scheme than a module has, with the edits for all of them. The
  // message names a layer at which vLLM stops, if there is one.
  void report_difference(const std::vector<model::Module>& layers, const ir::Decisions& decisions) {
    const quantizers::OwnSchemes modules(own_assign_, *options_.modules);
    const std::vector<Difference> all = differences(layers, decisions, modules);
    if (all.empty()) return;
    const auto stops = std::ranges::find_if(all, &Difference::is_packed_otherwise);
    const Difference& first = stops == all.end() ? all.front() : *stops;
    const std::string& name = layers[first.layer].name;
    const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[first.layer]];
    const source::Span place = decision.rule ? assign_.selection.rules[*decision.rule].span : config_.span;
    const auto [wanted, stored] = ir::different_names(first.used, first.own);
    auto& report = context_.sink.report(diag::gptq_vllm_reads_differently, place, name, wanted, stored);
    if (stops != all.end()) report.with_severity(diag::Severity::error);
    std::vector<Joined> entries;
    if (add_joined(name, entries)) {
      for (const Difference& each : all) static_cast<void>(add_joined(layers[each.layer].name, entries));
      offer_joined(report, entries);
    } else if (config_.saved && modules.of(name).size() > 1) {
      advise_on_saved(report, name);
    } else if (!quantizers::parts_of(name).empty()) {
      report.with_help(fmt::format("write one entry that matches all parts and the joined name, such as `+:.*{}$`",
                                   quantizers::pattern_of_parts(name, true)));
    }
  }

  // Reports the first layer whose groups do not fit the columns of a GPU.
  void check_columns(const std::vector<model::Module>& layers, const ir::Decisions& decisions) {
    const std::uint64_t gpus = gpus_of(options_);
    for (std::size_t at = 0; at < layers.size() && gpus > 1; ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const model::Module& layer = layers[at];
      const bool plain = unquantized_.contains(layer.name) || decision.kind != ir::Rule::Kind::assigns;
      const bool divided = layer.shape && layer.shape->size() == 2 && quantizers::splits_columns(layer.name);
      if (plain || !divided) continue;
      const std::uint64_t columns = layer.shape->back();
      const std::uint64_t group = quantizers::columns_together(assign_.schemes[decision.scheme]);
      if (group == 0 || columns % (group * gpus) == 0) continue;
      report_columns(layer, columns, gpus, group, decision.rule);
      return;
    }
  }

  void report_columns(const model::Module& layer, std::uint64_t columns, std::uint64_t gpus, std::uint64_t group,
                      const std::optional<std::uint32_t>& rule) {
    const Value& values = rule ? values_of(*rule) : config_.values;
    const Value* size = values.find("group_size");
    const source::Span place = rule ? assign_.selection.rules[*rule].span : config_.span;
    auto& report = context_.sink.report(diag::gptq_vllm_columns, size == nullptr ? place : size->span, layer.name,
                                        columns, gpus, group);
    const std::uint64_t fewer = fewer_gpus(gpus, [&](std::uint64_t each) { return columns % (group * each) == 0; });
    report.with_help(fmt::format(
        "use `--tensor-parallel {}`{}", std::max<std::uint64_t>(fewer, 1),
        config_.saved ? "" : ", or exclude the layers with `-:.*" + std::string(base::last_part(layer.name)) + "`"));
  }

  // Reports the schemes of layers that vLLM does not support.
  void check_layers(const std::vector<model::Module>& layers, const ir::Decisions& decisions) {
    std::set<std::uint32_t> seen;
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool used =
          decision.rule && decision.kind == ir::Rule::Kind::assigns && !unquantized_.contains(layers[at].name);
      if (!used || !seen.insert(*decision.rule).second) continue;
      const ir::Rule& rule = assign_.selection.rules[*decision.rule];
      const bool accepted = rule.unknown || accepts(layers_[*decision.rule], fmt::format("`{}`", layers[at].name),
                                                    rule.span, values_of(*decision.rule));
      if (!accepted) reject();
    }
  }

  const Context& context_;
  const Config& config_;
  const ReadOptions& options_;
  ir::Recipe& recipe_;
  Layer base_;             // as vLLM reads it
  ir::Assign own_assign_;  // what GPTQModel does
  ir::Decisions own_;
  ir::Assign assign_;
  std::vector<Layer> layers_;  // by rule
  std::set<std::string> unquantized_;
  bool reported_ = false;
};

}  // namespace

void read_by_vllm(const Context& context, const Config& config, const ReadOptions& options, ir::Recipe& recipe) {
  VllmReading(context, config, options, recipe).run();
}

}  // namespace sparsecfg::dialect::gptqmodel
