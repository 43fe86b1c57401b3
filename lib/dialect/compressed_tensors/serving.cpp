#include "dialect/compressed_tensors/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "dialect/compressed_tensors/layer_shapes.h"
#include "dialect/compressed_tensors/runtime_targets.h"
#include "dialect/record/types.h"
#include "dialect/schemes/records.h"
#include "dialect/words.h"

// Checks for errors and differences in the runtimes.
namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

namespace {

class ServingCheck {
 public:
  ServingCheck(const Context& context, const Config& config)
      : context_(context),
        config_(config),
        runtime_(context.choice.serving()),
        title_(title_of(context.choice)),
        targets_(config, context.choice) {}

  void run() {
    check_file();
    for (const ConfigGroup& group : config_.groups) check_group(group);
    const bool unquantized = runtime_ == Runtime::sglang && config_.groups.empty();
    if (unquantized || std::ranges::any_of(config_.groups, &ConfigGroup::preset)) {
      return;  // SGLang loads a file without groups unquantized; the runtimes reject presets
    }
    if (context_.modules == nullptr) {
      for (const ConfigGroup& group : config_.groups) {
        if (is_read(group) && !group.targets.empty()) check_choice(group, nullptr, chosen(group));
      }
      check_named();
      return;
    }
    find_groups(*context_.modules);
    for (const Layer& layer : layers_of(*context_.modules)) check_layer(layer);
  }

 private:
  // Finds the groups of modules by the rules of the library.
  void find_groups(const Modules& modules) {
    const std::vector<std::optional<std::size_t>> taken = groups_in(modules, config_);
    for (std::size_t at = 0; at < modules.size(); ++at) in_library_.emplace(modules[at].name, taken[at]);
  }

  // Without a model, checks the layers that targets name. Layers that split their columns are never joined with others.
  void check_named() {
    Modules named;
    for (const ConfigGroup& group : config_.groups) {
      for (const Entry& entry : group.targets) {
        const bool name = !schemes::is_pattern(entry.text) && entry.text.find('.') != std::string::npos;
        if (name) named.push_back({entry.text, "Linear", std::nullopt});
      }
    }
    find_groups(named);
    for (const Layer& layer : layers_of(named)) {
      const bool plain = layer.kind == Layer::Kind::linear && layer.split == Layer::Split::columns;
      if (plain && targets_.ignores(layer) == false) check_difference(targets_.group_of(layer), layer.parts);
    }
  }

  [[nodiscard]] diag::Severity severity() const { return context_.in(runtime_); }

  [[nodiscard]] Choice chosen(const ConfigGroup& group) const {
    return choose(group, config_.format_of(group), context_.choice);
  }

  // Returns true for the first finding with this key.
  bool is_new(std::string key) { return reported_.insert(std::move(key)).second; }

  static std::string quoted(std::string_view title, std::string_view words) {
    return fmt::format("{}: \"{}\"", title, words);
  }

  // Returns true if the runtime reads the scheme of the group before it fails.
  [[nodiscard]] bool is_read(const ConfigGroup& group) const {
    const bool known = !group.format.empty() || !has_unknown_format();
    return known && group.valid && !group.preset && group.weights.numbers.present && !targets_.skips(group);
  }

  // --- the file -----------------------------------------------------------------------------------

  void check_file() {
    const Field* ignore = config_.record.find("ignore");
    if (ignore != nullptr && ignore->value.is_null()) {
      context_.sink.report(diag::ignore_null, ignore->value.span, title_)
          .with_severity(severity())
          .with_fix(diag::Fix::safe().replace(ignore->value.span, "[]"));
    }
    check_format();
    if (runtime_ == Runtime::vllm) check_sparsity();
    if (config_.cache != nullptr) check_cache(*config_.cache);
  }

  // Returns true if groups use the format of the file, but it is not the name of one. These groups are not checked.
  [[nodiscard]] bool has_unknown_format() const {
    static constexpr std::string_view kOthers[] = {"fakequant", "mixed-precision"};
    const auto uses_format = [](const ConfigGroup& group) { return group.format.empty(); };
    return !config_.format.empty() && !base::contains(kOthers, config_.format) &&
           !base::contains(schemes::kFormats, config_.format) && std::ranges::any_of(config_.groups, uses_format);
  }

  void check_format() {
    if (!has_unknown_format()) {
      return;
    }
    const Value& format = config_.record.find("format")->value;
    const Meant meant = meant_by(Word::Place::value, "format", config_.format, schemes::kFormats,
                                 fmt::format("use one of `{}`", fmt::join(schemes::kFormats, "`, `")));
    context_.sink.report(diag::unknown_choice, format.span, config_.format, "format")
        .with_severity(severity())
        .with_help(meant.help)
        .with_fix(meant.fix(format.span));
  }

  void check_sparsity() {
    const Value* sparsity = config_.record.given("sparsity_config");
    const auto* map = sparsity == nullptr ? nullptr : sparsity->get<source::Map>();
    if (map == nullptr || map->empty()) {
      return;
    }
    const Value* targets = sparsity->find("targets");
    const auto* list = targets == nullptr ? nullptr : targets->get<source::List>();
    const Value* format = sparsity->find("format");
    const auto* name = format == nullptr ? nullptr : format->get<std::string>();
    const bool of_24 = name != nullptr && (*name == "sparse-24-bitmask" || *name == "marlin-24");
    const Fact& fact = format == nullptr ? facts::kAlways : of_24 ? facts::kNoSparseKernels : facts::kSparsityRejected;
    const auto severity = context_.severity_of(fact);
    if (severity && (format == nullptr || (list != nullptr && !list->empty()))) {
      context_.sink
          .report(diag::sparsity_unsupported, config_.record.find("sparsity_config")->key,
                  title_of(context_.choice, fact))
          .with_severity(*severity)
          .with_caret(
              quoted(title_, format == nullptr ? "format: Field required" : "Sparsity support has been removed"));
    }
  }

  // vLLM compares the written values and does not apply defaults.
  void check_cache(const Value& cache) {
    const auto is = [&](std::string_view name, std::string_view wanted) {
      const Value* value = cache.find(name);
      const auto* text = value == nullptr ? nullptr : value->get<std::string>();
      return text != nullptr && *text == wanted;
    };
    const Value* bits = cache.find("num_bits");
    const Value* symmetric = cache.find("symmetric");
    const Value* dynamic = cache.find("dynamic");
    const bool vllm = runtime_ == Runtime::vllm;
    const bool strategy = is("strategy", "tensor") || (vllm && is("strategy", "attn_head"));
    const bool is_symmetric = symmetric != nullptr && !symmetric->is_null() && symmetric->number() != 0.0;
    const bool changes = !vllm && dynamic != nullptr && dynamic->number() != 0.0;
    const std::string_view fault = !is("type", "float")                       ? "`type` must be written as `float`"
                                   : bits == nullptr || bits->number() != 8.0 ? "`num_bits` must be written as 8"
                                   : !strategy && vllm ? "`strategy` must be written as `tensor` or `attn_head`"
                                   : !strategy         ? "`strategy` must be written as `tensor`"
                                   : !is_symmetric     ? "`symmetric` must be written as true"
                                   : changes           ? "`dynamic` must be false"
                                                       : std::string_view();
    if (!fault.empty()) {
      context_.sink.report(diag::cache_unsupported, cache.span, title_, fault)
          .with_severity(vllm ? context_.severity_of(facts::kCacheRejected).value_or(diag::Severity::warning)
                              : diag::Severity::warning);
    }
  }

  // --- groups -------------------------------------------------------------------------------------

  void check_group(const ConfigGroup& group) {
    if (group.preset) {
      context_.sink.report(diag::preset_as_group, group.span, title_, group.name)
          .with_severity(severity())
          .with_caret(quoted(title_, runtime_ == Runtime::vllm ? "list indices must be integers or slices, not str"
                                                               : "'list' object has no attribute 'get'"));
      return;
    }
    if (!group.text_targets.empty()) report_letters(group);
    if (!group.valid || (group.targets.empty() && group.text_targets.empty()) || targets_.skips(group)) {
      return;
    }
    if (runtime_ == Runtime::vllm) check_order(group);
    const Value* weights = group.value->find("weights");
    if (weights == nullptr || weights->is_null()) {
      context_.sink.report(diag::weights_required, group.span, title_, group.name)
          .with_severity(severity())
          .with_caret(quoted(title_, "Input should be a valid dictionary or instance of QuantizationArgs"));
    } else if (is_read(group) && asserts_floats(group) && is_new("group " + group.name)) {
      report_choice(group, nullptr, chosen(group).fault);
    }
  }

  void report_letters(const ConfigGroup& group) {
    context_.sink.report(diag::targets_are_letters, group.value->find("targets")->span, title_, group.text_targets)
        .with_help(fmt::format("write `[\"{}\"]`", group.text_targets));
  }

  // The runtime validates the arguments with the release of compressed-tensors that it pins.
  void check_order(const ConfigGroup& group) {
    const Value* order = group.weights.value == nullptr ? nullptr : group.weights.value->find("actorder");
    if (order == nullptr || order->is_null()) {
      return;
    }
    const auto* text = order->get<std::string>();
    const std::string name = text != nullptr                      ? base::to_lower(*text)
                             : as_boolean(*order).value_or(false) ? "group"
                                                                  : "";
    const bool by_group = name == "group" || name == "dynamic";
    const Strategy strategy = group.weights.numbers.strategy;
    const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
    const Fact& fact = grouped ? facts::kGroupOrderRejected : facts::kOrderNeedsGroups;
    const auto severity = context_.severity_of(fact);
    if (name.empty() || grouped != by_group || !severity) {
      return;  // the library rejects the other combinations, or all accept them
    }
    context_.sink
        .report(diag::order_rejected, order->span.empty() ? group.span : order->span, title_of(context_.choice, fact),
                name, group.name)
        .with_severity(*severity)
        .with_caret(quoted("vLLM", grouped ? "group/dynamic activation ordering is no longer supported"
                                           : "Must use group or tensor_group quantization strategy"))
        .with_help(grouped ? "write `actorder: static`" : "write `actorder: null`");
  }

  // Such a group is rejected even if no layer uses it.
  [[nodiscard]] bool asserts_floats(const ConfigGroup& group) const {
    return quantizes_inputs(config_.format_of(group)) && !group.inputs.numbers.present &&
           !group.weights.numbers.is_float;
  }

  void report_choice(const ConfigGroup& group, const Layer* layer, std::string_view fault) {
    const std::string_view stored = inferred_format(group);
    const bool can_be_stored =
        stored != config_.format_of(group) && choose(group, stored, context_.choice).fault.empty();
    context_.sink
        .report(diag::no_runtime_scheme, group.span, title_, group.name,
                layer == nullptr ? "" : fmt::format(" for `{}`", layer->name))
        .with_severity(runtime_ == Runtime::vllm ? severity() : diag::Severity::warning)
        .with_caret(quoted(title_, fault))
        .with_help(can_be_stored
                       ? fmt::format("write `\"format\": \"{}\"` if the weights are stored in this format", stored)
                       : "");
  }

  void check_choice(const ConfigGroup& group, const Layer* layer, const Choice& choice) {
    if (!choice.fault.empty()) {
      if (is_new("group " + group.name)) report_choice(group, layer, choice.fault);
      return;
    }
    const bool unknown = context_.choice.named && *context_.choice.named < kReadRelease && is_recent(choice.scheme);
    if (runtime_ == Runtime::vllm && unknown && is_new("unknown " + group.name)) {
      context_.sink.report(diag::release_unknown, group.span, title_, choice.scheme, group.name);
    }
    const std::string& format = config_.format_of(group);
    if (choice.scheme == "W4A8Fp8" && format != "pack-quantized" && is_new("names " + group.name)) {
      context_.sink.report(diag::packed_names_expected, group.span, title_, group.name, format)
          .with_severity(diag::Severity::warning);
    }
  }

  // --- layers -------------------------------------------------------------------------------------

  void check_layer(const Layer& layer) {
    if (layer.kind == Layer::Kind::experts) {
      check_experts(layer);
      return;
    }
    const auto ignored = targets_.ignores(layer);
    if (!ignored) {
      report_part(layer);
      return;
    }
    const std::optional<std::size_t> group = *ignored ? std::nullopt : targets_.group_of(layer);
    if (!*ignored && !group && runtime_ == Runtime::sglang && layer.kind == Layer::Kind::linear) {
      report_target(layer);
      return;
    }
    check_difference(group, layer.parts);
    if (group && is_read(config_.groups[*group])) {
      check_scheme(layer, config_.groups[*group]);
    } else {
      check_shapes(layer, nullptr, {});
    }
  }

  void report_part(const Layer& layer) {
    const std::string_view suffix = base::last_part(layer.name);
    if (!is_new(fmt::format("part {}", suffix))) {
      return;
    }
    std::string part;
    const Entry* entry = targets_.entry_for_part(layer, part);
    context_.sink
        .report(diag::fused_partly_ignored, entry == nullptr ? config_.record.place("ignore") : entry->span, title_,
                layer.name, part)
        .with_severity(severity())
        .with_caret(quoted(title_, fmt::format("Found a different quantization schemes for {}", suffix)))
        .with_help(fmt::format("ignore all of `{}`, or none", fmt::join(layer.suffixes, "`, `")));
  }

  void report_target(const Layer& layer) {
    if (is_new(fmt::format("target {}", base::last_part(layer.name)))) {
      context_.sink.report(diag::no_matching_target, config_.record.place("config_groups"), title_, layer.name)
          .with_severity(severity())
          .with_caret(quoted(title_, "Unable to find matching target"))
          .with_help("add it to `ignore`, or to `targets`");
    }
  }

  void check_scheme(const Layer& layer, const ConfigGroup& group) {
    if (layer.kind == Layer::Kind::embedding) {
      check_embedding(layer, group);
      return;
    }
    Choice choice = chosen(group);
    const bool value_error =
        !choice.fault.starts_with("No compressed") && choice.fault.find("Error:") == std::string::npos;
    if (layer.kind == Layer::Kind::head && value_error) choice.fault.clear();
    check_choice(group, &layer, choice);
    check_shapes(layer, &group, choice);
  }

  void check_embedding(const Layer& layer, const ConfigGroup& group) {
    const Numbers& weights = group.weights.numbers;
    const bool fits = !weights.is_float && weights.dynamic == schemes::Dynamic::no &&
                      (weights.strategy == Strategy::group || weights.strategy == Strategy::channel);
    if (runtime_ == Runtime::vllm && !fits && is_new("embedding " + group.name)) {
      report_choice(group, &layer, "compressed-tensors embeddings only support weight-only INT group/channel");
    }
  }

  // --- sizes of layers ----------------------------------------------------------------------------

  void check_shapes(const Layer& layer, const ConfigGroup* group, const Choice& choice) {
    for (const ShapeFault& fault : shape_faults(layer, group, choice, context_.choice.gpus)) {
      const auto severity = severity_of(fault);
      // The number of GPUs is one fault, however many layers it does not divide.
      const bool split = fault.kind == ShapeFault::Kind::split;
      const auto key = fmt::format("size {} {} {} {}", static_cast<int>(fault.kind), fault.rows, fault.size, fault.by);
      const bool fresh = is_new(split ? "split" : group == nullptr ? key : key + group->name);
      if (severity && fresh) report_shape(layer, group, fault, *severity);
    }
  }

  // Some models allow blocks that end within a layer that is not split.
  [[nodiscard]] std::optional<diag::Severity> severity_of(const ShapeFault& fault) const {
    const bool kernel = fault.kind == ShapeFault::Kind::kernel;
    if (kernel) return runtime_ == Runtime::vllm ? context_.severity_of(facts::kFixedTiles) : std::nullopt;
    return fault.kind == ShapeFault::Kind::block && fault.gpus == 1 ? diag::Severity::warning : severity();
  }

  void report_shape(const Layer& layer, const ConfigGroup* group, const ShapeFault& fault, diag::Severity severity) {
    const std::string name = base::printable(layer.name);
    const std::string_view what = fault.rows ? "rows" : "columns";
    const std::string size =
        fault.gpus > 1 ? fmt::format("{} / {}", fault.size, fault.gpus) : std::to_string(fault.size);
    const source::Span place = group == nullptr ? config_.record.place("config_groups") : group->span;
    diag::Diagnostic& report =
        fault.kind == ShapeFault::Kind::split
            ? context_.sink.report(diag::split_not_whole, place, title_, size, what, name, fault.by)
        : fault.kind == ShapeFault::Kind::group
            ? context_.sink.report(diag::runtime_columns, place, title_, name, size, fault.by)
        : fault.kind == ShapeFault::Kind::block
            ? context_.sink.report(diag::split_in_block, place, title_, size, what, name, fault.by)
            : context_.sink.report(diag::no_kernel, place, title_of(context_.choice, facts::kFixedTiles), size, what,
                                   name);
    report.with_severity(severity);
    const std::string caret = words_of(fault);
    if (!caret.empty()) report.with_caret(quoted(title_, caret));
  }

  // Returns the message of the runtime.
  [[nodiscard]] static std::string words_of(const ShapeFault& fault) {
    switch (fault.kind) {
      case ShapeFault::Kind::split: return fmt::format("{} is not divisible by {}", fault.size, fault.by);
      case ShapeFault::Kind::group:
        return fmt::format("Weight input_size_per_partition={} is not divisible", fault.part());
      case ShapeFault::Kind::block:
        return fmt::format("Weight {}_size{} = {} is not divisible", fault.rows ? "output_partition" : "input",
                           fault.rows ? "" : "_per_partition", fault.part());
      case ShapeFault::Kind::kernel:
        return fmt::format("Weight {}_size_per_partition = {} is not divisible by min_thread_{} = {}",
                           fault.rows ? "output" : "input", fault.part(), fault.rows ? 'n' : 'k', fault.by);
    }
    return {};
  }

  // --- experts ------------------------------------------------------------------------------------

  [[nodiscard]] bool same(std::optional<std::size_t> a, std::optional<std::size_t> b) const {
    if (!a || !b || a == b) return a == b;
    const ConfigGroup& one = config_.groups[*a];
    const ConfigGroup& other = config_.groups[*b];
    return one.weights.numbers == other.weights.numbers && one.inputs.numbers == other.inputs.numbers &&
           config_.format_of(one) == config_.format_of(other);
  }

  void check_experts(const Layer& layer) {
    std::vector<std::optional<std::size_t>> groups;
    for (const std::string& part : layer.parts) groups.push_back(targets_.group_of_expert(part));
    const auto differs = std::ranges::find_if(groups, [&](const auto& each) { return !same(each, groups.front()); });
    if (differs != groups.end()) {
      if (runtime_ == Runtime::vllm && is_new("experts")) {
        context_.sink.report(diag::experts_differ, config_.record.place("config_groups"), title_, layer.name)
            .with_severity(severity())
            .with_caret(quoted(title_, "All MoE projections need to have same quantization scheme"));
      }
      return;
    }
    check_difference(groups.front(), experts_in(layer));
    if (!groups.front() || !is_read(config_.groups[*groups.front()])) {
      return;
    }
    const ConfigGroup& group = config_.groups[*groups.front()];
    Choice choice = chosen(group);
    static constexpr std::string_view kUnfit[] = {"W8A8Int8 (static)", "W8A16Fp8", "WNA8O8"};
    if (base::contains(kUnfit, choice.scheme)) choice.fault = "Unsupported FusedMoe scheme";
    check_choice(group, &layer, choice);
    check_shapes(layer, &group, choice);
  }

  [[nodiscard]] std::vector<std::string> experts_in(const Layer& layer) const {
    std::vector<std::string> out;
    const std::string begin = layer.name + ".";
    for (auto at = in_library_.lower_bound(begin); at != in_library_.end() && at->first.starts_with(begin); ++at) {
      if (is_layer(at->first)) out.emplace_back(at->first);
    }
    return out;
  }

  [[nodiscard]] bool is_layer(std::string_view name) const {
    const auto found = std::ranges::find(*context_.modules, name, &model::Module::name);
    return found != context_.modules->end() && schemes::takes_scheme(*found);
  }

  // --- differences --------------------------------------------------------------------------------

  // Reports a module that the library quantizes differently, so that its stored tensors do not fit the runtime.
  void check_difference(std::optional<std::size_t> group, const std::vector<std::string>& parts) {
    if (group && !config_.groups[*group].text_targets.empty()) return;  // CT219 reports the cause
    for (const std::string& part : parts) {
      const auto found = in_library_.find(part);
      if (found == in_library_.end() || same(found->second, group)) continue;
      const std::string_view suffix = base::last_part(part);
      const std::size_t from = found->second.value_or(config_.groups.size());
      if (!is_new(fmt::format("other {} {} {}", suffix, from, group.value_or(config_.groups.size())))) continue;
      context_.sink.report(diag::other_scheme, place_of(group, found->second), title_, part, name_of(group),
                           name_of(found->second));
    }
  }

  [[nodiscard]] source::Span place_of(std::optional<std::size_t> group, std::optional<std::size_t> other) const {
    const auto at = other ? other : group;
    return config_.groups[*at].span;
  }

  [[nodiscard]] std::string name_of(std::optional<std::size_t> group) const {
    return group ? fmt::format("with group `{}`", base::printable(config_.groups[*group].name)) : "unquantized";
  }

  const Context& context_;
  const Config& config_;
  Runtime runtime_;  // vLLM if the user selects the library
  std::string title_;
  RuntimeTargets targets_;
  std::map<std::string, std::optional<std::size_t>, std::less<>> in_library_;  // group by name of module
  std::set<std::string> reported_;
};

}  // namespace

void check_serving(const Context& context, const Config& config) { ServingCheck(context, config).run(); }

}  // namespace sparsecfg::dialect::compressed_tensors
