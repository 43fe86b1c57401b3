#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/attached_schemes.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/schemes/codes.h"
#include "dialect/schemes/ignoring.h"
#include "dialect/schemes/joined_parts.h"
#include "dialect/schemes/meant.h"
#include "dialect/schemes/shards.h"
#include "model/linear_classes.h"
#include "regex/alternatives.h"
#include "regex/literal.h"

// Checks which layers of a model get which scheme, and whether the scheme fits them.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

DIAGNOSTIC(LC804, router_quantized, warning, (Text, Text), "`{}` also matches expert routers: {}",
           "The router of a mixture of experts is a small layer that selects the experts. Quantization changes its "
           "choices, and few runtimes load it.",
           "add the router to `ignore`, such as `re:.*gate$`")

DIAGNOSTIC(
    LC805, fused_shards_differ, warning, (Text, Text), "fused layers `{}` have different schemes: {}",
    "Runtimes such as vLLM fuse the layers q, k and v, and the layers gate and up. A fused layer has a single scheme.",
    "set the same scheme for these layers")

DIAGNOSTIC(LC810, attention_scheme, error, (Text, Text), "`{}` is an attention module, {}",
           "A scheme on an attention module quantizes its inputs: queries, keys and values. It has no weights of its "
           "own, and its outputs cannot be quantized.",
           "write `re:.*self_attn\\..*_proj$` to select its layers")

DIAGNOSTIC(LC811, attention_partly_quantized, error, (Text, Text),
           "`{}` quantizes attention modules, but not `{}`, which then fails",
           "As soon as one attention module quantizes its inputs, the implementation of attention is replaced in all "
           "of them. A module without a scheme fails in calibration.",
           "select all attention modules of the model, and no other modules with the same target")

DIAGNOSTIC(LC812, embedding_inputs, error, (Text),
           "`{}` is an embedding, whose inputs cannot have the strategy `tensor_group`",
           "The inputs of an embedding are ints, from which calibration cannot compute a global scale.",
           "use a scheme for weights only, such as `NVFP4A16`, for embeddings")

DIAGNOSTIC(LC813, shared_scale, error, (Text, Text, Text), "`{}` {} `{}`, with which it shares a scale",
           "With the strategy `tensor_group`, layers that runtimes load as one, such as q, k and v, share a global "
           "scale. If one of them has no such scale, calibration fails.",
           "write the same scheme for these layers, or add all to `ignore`")

DIAGNOSTIC(LC814, gptq_finds_no_layer, error, (), "`GPTQModifier` finds no Linear layer whose weights have a scheme",
           "GPTQModifier only quantizes the weights of Linear layers, and raises a ValueError if it has none.",
           "write targets with `weights` that match Linear layers, or use QuantizationModifier")

class SchemeCheck {
 public:
  SchemeCheck(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at, const Modules& modules,
              const AttachedSchemes& attached, ModelIndex& index, const std::string& runtime)
      : context_(context),
        modifier_(modifiers[at]),
        quantization_(*modifiers[at].as<Quantization>()),
        number_(at),
        modules_(modules),
        attached_(attached),
        index_(index),
        runtime_(runtime),
        groups_(attached.groups(at)),
        cached_(schemes::cached_attention(modules)) {}

  void run() {
    if (groups_.empty() || std::ranges::all_of(groups_, &Group::is_empty)) {
      return;
    }
    check_targets();
    check_attention();
    check_hooked_attention();
    check_heads();
    check_embeddings();
    check_columns();
    check_routers();
    if (!check_fused()) check_shards();
    check_weights();
  }

 private:
  [[nodiscard]] const Group* scheme_of(std::size_t at) const { return attached_.scheme_by(number_, at); }

  [[nodiscard]] bool quantizes_any() const {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group != nullptr && (takes_scheme(modules_[at]) ? !group->is_empty() : group->inputs.args.present))
        return true;
    }
    return false;
  }

  void check_targets() {
    const bool any = quantizes_any();
    for (const Group& group : groups_) {
      if (any ? report_ignored_group(group) : report_names(group)) continue;
      for (const Entry& target : group.targets) {
        check_target(group, target, any);
      }
    }
  }

  // Reports names that match no module, if all targets of a group do, once for the group. Together they are one
  // mistake: the names of PEFT, which are compared with the ends of the names of modules.
  bool report_names(const Group& group) {
    if (group.targets.size() < 2) return false;
    std::vector<std::string> meant;
    for (const Entry& target : group.targets) {
      const auto entry = index_.has(target.text) ? std::nullopt : schemes::entry_for_layers(modules_, target.text);
      if (!entry) return false;
      meant.push_back(*entry);
    }
    const Entry& first = group.targets.front();
    auto& report =
        context_.sink.report(diag::target_takes_no_linear, first.span, first.text,
                             fmt::format("matches none of the {} modules, so it quantizes nothing", modules_.size()));
    diag::Fix fix = diag::Fix::unsafe();
    for (std::size_t at = 0; at < meant.size(); ++at) {
      if (at > 0) report.with_label(group.targets[at].span, "matches none either");
      fix.content(group.targets[at].span, meant[at]);
    }
    report.with_help(fmt::format("write `{}`: names are compared as a whole", fmt::join(meant, "`, `")));
    report.with_fix(std::move(fix));
    return true;
  }

  // Returns the entry of `ignore` that matches most layers of a target.
  [[nodiscard]] std::optional<Entry> ignoring_most(const std::vector<const Module*>& layers) const {
    std::optional<Entry> found;
    for (const Entry& entry : quantization_.ignore.value_or({})) {
      const model::Matcher matcher = matcher_of(entry.text);
      const auto most = std::ranges::count_if(layers, [&](const Module* each) { return matcher.takes(*each); });
      if (most * 2 > std::ssize(layers)) found = entry;
    }
    return found;
  }

  // Returns a narrower pattern for an entry that ignores all layers: that of the part of the model that is not the
  // language model. Empty if there is no such part.
  [[nodiscard]] std::string narrower_than(const Entry& entry, const std::vector<const Module*>& layers) const {
    const model::Matcher matcher = matcher_of(entry.text);
    std::map<std::string, std::size_t> parts;  // by the first two parts of the names
    for (const Module* layer : layers) {
      if (!matcher.takes(*layer)) continue;
      const std::size_t dot = layer->name.find('.');
      const std::size_t second = dot == std::string::npos ? dot : layer->name.find('.', dot + 1);
      if (second != std::string::npos) ++parts[layer->name.substr(0, second)];
    }
    const auto vision = std::ranges::find_if(parts, [](const auto& part) {
      return part.first.find("visual") != std::string::npos || part.first.find("vision") != std::string::npos;
    });
    return parts.size() < 2 || vision == parts.end() ? "" : fmt::format("re:{}\\..*", regex::literal(vision->first));
  }

  // Reports an entry of `ignore` that leaves nothing to quantize, at this entry.
  // Returns null if there is no such entry.
  diag::Diagnostic* report_ignoring(const Entry& target, const std::vector<const Module*>& layers,
                                    std::string_view effect) const {
    const std::optional<Entry> entry = ignoring_most(layers);
    if (!entry) return nullptr;
    const std::string narrow = narrower_than(*entry, layers);
    auto& report =
        context_.sink.report(diag::target_takes_no_linear, entry->span, entry->text,
                             fmt::format("ignores all layers that `{}` matches, so {}", target.text, effect));
    report.with_label(target.span, "only matches ignored layers");
    if (narrow.empty()) {
      report.with_help(
          fmt::format("delete `{}` from `ignore`, or write a pattern that matches fewer layers", entry->text));
    } else {
      report.with_help(fmt::format("write `{}` to ignore only this part of the model", narrow))
          .with_fix(diag::Fix::unsafe().content(entry->span, narrow));
    }
    return &report;
  }

  // Reports a group whose targets match only ignored layers, while others quantize some.
  bool report_ignored_group(const Group& group) {
    if (groups_.size() < 2) return false;
    std::vector<const Module*> layers;
    for (const Entry& target : group.targets) {
      std::ranges::move(usable_layers(index_.matched_names(target.text)), std::back_inserter(layers));
    }
    const auto is_quantized = [&](const Module* module) {
      return scheme_of(static_cast<std::size_t>(module - modules_.data())) != nullptr;
    };
    if (layers.empty() || std::ranges::any_of(layers, is_quantized)) return false;
    diag::Diagnostic* report = report_ignoring(group.targets.front(), layers, "its group is not used");
    if (report != nullptr) report->with_severity(diag::Severity::warning);
    return report != nullptr;
  }

  void check_target(const Group& group, const Entry& target, bool any) {
    const std::vector<const Module*> taken = index_.matched_names(target.text);
    const auto usable = [this](const Module* module) {
      return takes_scheme(*module) || cached_[static_cast<std::size_t>(module - modules_.data())];
    };
    const bool layers = std::ranges::any_of(taken, usable);
    if (fault_of(target.text) || (layers && (any || is_repeated(target)))) {
      return;
    }
    if (taken.empty() && any) {
      context_.sink.report(diag::unused_selector, target.span, target.text, "module", modules_.size())
          .with_help(advice(target.text))
          .with_fix(fix_of(target));
      return;
    }
    const bool attention = std::ranges::any_of(taken, [&](const Module* module) {
      const auto at = static_cast<std::size_t>(module - modules_.data());
      return cached_[at] && scheme_of(at) == &group;
    });
    if (attention && group.weights.args.present) return;  // LC810 reports it
    const bool emptied = std::ranges::any_of(taken, [&](const Module* module) {
      return scheme_of(static_cast<std::size_t>(module - modules_.data())) != nullptr;
    });
    if (emptied && group.is_empty()) return;  // reported at the group whose layers it takes
    if (layers && !emptied && report_ignoring(target, usable_layers(taken), "nothing is quantized") != nullptr) return;
    const std::string what =
        emptied         ? "only matches layers of a group without arguments, so it quantizes nothing"
        : layers        ? "only matches ignored layers, so it quantizes nothing"
        : taken.empty() ? fmt::format("matches none of the {} modules, so it quantizes nothing", modules_.size())
                        : fmt::format("matches {} modules such as {}, none of which can be quantized", taken.size(),
                                      list_names({taken.front()}));
    auto& report = context_.sink.report(diag::target_takes_no_linear, target.span, target.text, what);
    if (emptied || layers) {
      report.with_help(emptied ? "add `weights` to the group whose target selects these layers"
                               : "remove the layers from `ignore`");
    } else if (selects_as_linear(target)) {
      report.with_help("write `Linear`, which selects the layers in these modules")
          .with_fix(diag::Fix::unsafe().content(target.span, "Linear"));
    } else {
      report.with_help(advice(target.text)).with_fix(fix_of(target));
    }
  }

  // Returns true if the only target is a class whose modules contain all layers that are not ignored.
  [[nodiscard]] bool selects_as_linear(const Entry& target) {
    if (groups_.size() != 1 || groups_.front().targets.size() != 1 || !index_.has(target.text)) return false;
    const auto meant = meant_in(index_, target.text);
    if (!meant || fault_of(*meant)) return false;
    const model::Matcher inner = matcher_of(*meant);
    const model::Matcher ignored = matcher_of(modifier_.ignore());
    const model::Matcher linear = matcher_of("Linear");
    return std::ranges::all_of(modules_, [&](const Module& module) {
      return !takes_scheme(module) || ignored.takes(module) || inner.takes(module) == linear.takes(module);
    });
  }

  [[nodiscard]] std::vector<const Module*> usable_layers(const std::vector<const Module*>& taken) const {
    std::vector<const Module*> out;
    std::ranges::copy_if(taken, std::back_inserter(out), [](const Module* module) { return takes_scheme(*module); });
    return out;
  }

  // Returns true if a later group has the same target, which is reported itself.
  [[nodiscard]] bool is_repeated(const Entry& target) const {
    const auto same = [&](const Entry& other) { return &other != &target && other.text == target.text; };
    return std::ranges::any_of(groups_, [&](const Group& group) { return std::ranges::any_of(group.targets, same); });
  }

  // Replaces a misspelled entry.
  [[nodiscard]] diag::Fix fix_of(const Entry& target) {
    const auto meant = is_joined_list(target.text) ? std::nullopt : meant_in(index_, target.text);
    return meant ? diag::Fix::unsafe().content(target.span, *meant) : diag::Fix();
  }

  [[nodiscard]] std::string advice(const std::string& text) {
    if (const auto meant = meant_in(index_, text)) {
      return fmt::format("write `{}`", *meant);
    }
    if (const auto help = help_for_stored(index_, text)) return *help;
    return index_.has(text) ? "select the layers in a module with a pattern such as `re:.*mlp\\..*`"
                            : "list the modules with `sparsecfg match FILE --model DIR --all`";
  }

  void check_attention() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group == nullptr || !cached_[at]) continue;
      const std::string_view fault = group->weights.args.present   ? "which has no weights to quantize"
                                     : group->outputs.args.present ? "whose outputs can't be quantized"
                                     : !group->inputs.args.present ? "whose inputs must be quantized"
                                                                   : std::string_view();
      if (!fault.empty()) {
        context_.sink.report(diag::attention_scheme, group->span, modules_[at].name, fault);
        return;
      }
    }
  }

  // Layers have no heads.
  void check_heads() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group == nullptr || !takes_scheme(modules_[at])) continue;
      for (const auto& [field, part] :
           {std::pair("input_activations", &group->inputs), std::pair("output_activations", &group->outputs)}) {
        if (!part->args.present || part->args.strategy != Strategy::attn_head) continue;
        context_.sink
            .report(diag::activation_strategy, part->value->span, field, "attn_head",
                    fmt::format(": `{}` has no heads", modules_[at].name))
            .with_help("write `strategy: tensor`, or targets that only match attention modules");
        return;
      }
    }
  }

  // Returns true if calibration computes a global scale of the values. For local values only these observers do, which
  // presets use.
  static bool has_global_scale(const schemes::Part& part) {
    static constexpr std::string_view kNames[] = {"static_minmax", "memoryless_minmax"};
    const QuantizationArgs& args = part.args;
    if (!args.present || args.strategy != Strategy::tensor_group || args.dynamic == Dynamic::yes) {
      return false;
    }
    const source::Value* observer = part.value == nullptr ? nullptr : part.value->find("observer");
    const auto* name = observer == nullptr ? nullptr : observer->get<std::string>();
    return args.dynamic == Dynamic::no || part.value == nullptr ||
           (name != nullptr && base::contains(kNames, plain_observer_name(*name)));
  }

  // The inputs of an embedding are ints, from which no global scale can be computed.
  void check_embeddings() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group == nullptr || modules_[at].type != "Embedding" || !attached_.keeps(number_, at)) continue;
      if (!has_global_scale(group->inputs)) continue;
      context_.sink.report(diag::embedding_inputs, group->span, modules_[at].name);
      return;
    }
  }

  // As soon as one attention module quantizes its inputs, the implementation of attention is replaced in all of them.
  void check_hooked_attention() {
    const Group* group = nullptr;
    const Module* other = nullptr;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      if (!cached_[at]) continue;
      const Group* mine = scheme_of(at);
      if (mine == nullptr || mine->is_empty()) other = &modules_[at];
      if (mine != nullptr && mine->inputs.args.present) group = mine;
    }
    if (group != nullptr && other != nullptr && modifier_.needs_calibration()) {
      context_.sink.report(diag::attention_partly_quantized, group->span, group->name, other->name);
    }
  }

  // Reports each layer whose rows can't be divided into groups.
  void check_columns() {
    for (const Group& group : groups_) {
      std::vector<const Module*> bad;
      const std::int64_t size = group.weights.args.group_size;
      for (std::size_t at = 0; at < modules_.size(); ++at) {
        const Module& module = modules_[at];
        const bool known = scheme_of(at) == &group && module.shape && module.shape->size() == 2 && size > 0;
        if (known && module.shape->back() % static_cast<std::uint64_t>(size) != 0 &&
            (fails_at_start(module, size) || is_observed(at))) {
          bad.push_back(&module);
        }
      }
      if (!bad.empty()) report_columns(group, bad);
    }
  }

  // The check at the start accepts rows that are shorter than a group.
  [[nodiscard]] bool fails_at_start(const Module& module, std::int64_t size) const {
    return !bypasses() && module.shape->back() >= static_cast<std::uint64_t>(size);
  }

  [[nodiscard]] bool bypasses() const { return quantization_.bypass_divisibility_checks.value_or(false); }

  // Returns true if calibration computes static scales of the weights of a module by the scheme of this modifier.
  [[nodiscard]] bool is_observed(std::size_t at) const {
    const Group* group = scheme_of(at);
    return group != nullptr && group->weights.args.present && group->weights.args.dynamic != Dynamic::yes &&
           attached_.keeps(number_, at) && modifier_.as<AutoRound>() == nullptr;
  }

  void report_columns(const Group& group, const std::vector<const Module*>& bad) {
    const auto columns = bad.front()->shape->back();
    const bool late = columns < static_cast<std::uint64_t>(group.weights.args.group_size) || bypasses();
    const source::Value* size = group.weights.value == nullptr ? nullptr : group.weights.value->find("group_size");
    auto& report = context_.sink.report(diag::columns_not_in_groups, size == nullptr ? group.span : size->span,
                                        fmt::format("{}", group.weights.args.group_size), list_names(bad));
    report.with_cause(entry_meant_for(bad));
    report.with_caret(
        fmt::format("`{}` has {}{}", bad.front()->name, columns, late ? ", which fails only in calibration" : ""));
    std::vector<std::string> names = entries_for(bad);
    constexpr std::size_t kMaxCount = 12;
    const bool many = names.size() > kMaxCount;
    names.resize(std::min(names.size(), kMaxCount));
    const std::uint64_t smaller = smaller_size(group, bad);
    if (many && smaller != 0) {
      report.with_help(fmt::format("write {}, which divides the columns of all layers", with_size(group, smaller)));
      return;
    }
    report.with_help(fmt::format("{}add `{}`{} to `ignore`, which keeps {} in 16 bits",
                                 smaller == 0 ? "" : fmt::format("write {}, or ", with_size(group, smaller)),
                                 fmt::join(names, "`, `"), many ? " and others" : "",
                                 bad.size() == 1 ? "this layer" : "these layers"));
    const Field* ignore = quantization_.ignore.field();
    if (many || ignore == nullptr || ignore->value.get<source::List>() == nullptr) return;
    diag::Fix fix = diag::Fix::unsafe();
    for (const std::string& name : names) fix.append(ignore->value.span, name);
    report.with_fix(std::move(fix));
  }

  // Returns the entry of `ignore` that matches nothing and was meant for all these layers, or an empty place.
  [[nodiscard]] source::Span entry_meant_for(const std::vector<const Module*>& layers) const {
    const auto meant_for = [&](const Module* layer) {
      return schemes::entry_meant_for(modifier_.ignore(), modules_, layer->name);
    };
    const auto first = meant_for(layers.front());
    return first && meant_for(layers.back()) == first ? *first : source::Span();
  }

  // Returns the quoted entry that sets the size of groups: of the arguments, or a group in place of a preset.
  [[nodiscard]] static std::string with_size(const Group& group, std::uint64_t size) {
    auto scheme = group.weights.value == nullptr ? schemes::preset_scheme_named(group.name) : std::nullopt;
    if (!scheme) return fmt::format("`group_size: {}`", size);
    if (group.name == "W8A16") {  // which was per channel before 0.11
      schemes::set_argument(*scheme, "group_size", {});
      schemes::set_argument(*scheme, "strategy", {std::string("channel"), {}});
    } else {
      schemes::set_argument(*scheme, "group_size", {static_cast<std::int64_t>(size), {}});
    }
    std::vector<std::string> targets;
    for (const Entry& target : group.targets) targets.push_back(target.text);
    return fmt::format("`config_groups: {{group_0: {}}}` instead of `scheme`", schemes::group_text(*scheme, targets));
  }

  // Returns entries that match these layers and no others that are quantized: one pattern, or their names.
  [[nodiscard]] std::vector<std::string> entries_for(const std::vector<const Module*>& layers) const {
    std::vector<std::string> names;
    for (const Module* module : layers) names.push_back(module->name);
    if (names.size() == 1) return names;
    const std::string last = regex::literal(base::last_part(names.front()));
    const std::string parent = regex::literal(common_parent(names));
    for (std::string pattern : {fmt::format("re:.*{}$", last), fmt::format("re:{}.*{}$", parent, last)}) {
      if (matches_exactly(pattern, layers)) return {std::move(pattern)};
    }
    return names;
  }

  // Returns the part that all names begin with, up to a dot.
  [[nodiscard]] static std::string common_parent(const std::vector<std::string>& names) {
    std::string_view out = names.front();
    for (const std::string& name : names) {
      const auto differs = std::ranges::mismatch(out, name).in1;
      out = out.substr(0, static_cast<std::size_t>(differs - out.begin()));
    }
    return std::string(out.substr(0, out.rfind('.') + 1));
  }

  // Returns true if a pattern matches these layers and no others that are quantized.
  [[nodiscard]] bool matches_exactly(const std::string& pattern, const std::vector<const Module*>& layers) const {
    const model::Matcher matcher = matcher_of(pattern);
    const auto reached = [&](const Module& module) { return takes_scheme(module) && matcher.takes(module); };
    return std::ranges::all_of(layers, [&](const Module* each) { return reached(*each); }) &&
           std::ranges::count_if(modules_, reached) == std::ssize(layers);
  }

  // Returns the largest usual group size below that of the group which divides the columns of the layers; 0: none.
  [[nodiscard]] static std::uint64_t smaller_size(const Group& group, const std::vector<const Module*>& layers) {
    constexpr std::uint64_t kSizes[] = {128, 64, 32, 16};
    for (const std::uint64_t size : kSizes) {
      const auto divides = [&](const Module* each) { return each->shape->back() % size == 0; };
      if (size < static_cast<std::uint64_t>(group.weights.args.group_size) && std::ranges::all_of(layers, divides))
        return size;
    }
    return 0;
  }

  // Returns true for a router: a layer next to the experts that chooses among them.
  [[nodiscard]] bool is_router(const Module& module) const {
    const std::size_t dot = module.name.rfind('.');
    const std::string_view last = base::last_part(module.name);
    const std::string beside = dot == std::string::npos ? "experts" : module.name.substr(0, dot) + ".experts";
    const auto is_expert = [&](const Module& other) {
      return other.name.starts_with(beside) && (other.name.size() == beside.size() || other.name[beside.size()] == '.');
    };
    return (last == "gate" || last == "router" || last == "shared_expert_gate") &&
           std::ranges::any_of(modules_, is_expert);
  }

  void check_routers() {
    std::vector<const Module*> routers;
    const Group* group = nullptr;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* mine = scheme_of(at);
      if (mine != nullptr && !mine->is_empty() && takes_scheme(modules_[at]) && is_router(modules_[at])) {
        routers.push_back(&modules_[at]);
        group = mine;
      }
    }
    if (!routers.empty() && !group->targets.empty()) {
      const Field* given = quantization_.ignore.field();
      const source::Span targets = group->targets.front().span;
      auto& report = context_.sink.report(diag::router_quantized, given == nullptr ? targets : given->value.span,
                                          group->targets.front().text, list_names(routers));
      if (given != nullptr) report.with_caret("does not name them").with_label(targets, "matches them");
      report.with_cause(entry_meant_for(routers));
      const std::vector<std::string> entries = entries_for(routers);
      if (entries.size() > 1) return;
      schemes::offer_to_ignore(report, entries.front(), modifier_.spec->name,
                               given == nullptr ? std::nullopt : std::optional(given->value.span),
                               modifier_.fields.empty() ? std::nullopt : std::optional(modifier_.fields.back().key));
    }
  }

  // Reports different schemes of layers that runtimes merge when they load the model.
  void check_shards() {
    static constexpr std::string_view kQkv[] = {"q_proj", "k_proj", "v_proj"};
    static constexpr std::string_view kGateUp[] = {"gate_proj", "up_proj"};
    for (const std::span<const std::string_view> shards : {std::span<const std::string_view>(kQkv), {kGateUp}}) {
      std::map<std::string, std::vector<std::size_t>> parents;
      for (std::size_t at = 0; at < modules_.size(); ++at) {
        const std::size_t dot = modules_[at].name.rfind('.');
        if (dot != std::string::npos && takes_scheme(modules_[at]) &&
            base::contains(shards, std::string_view(modules_[at].name).substr(dot + 1))) {
          parents[modules_[at].name.substr(0, dot)].push_back(at);
        }
      }
      if (report_shards(parents, shards)) return;
    }
  }

  bool report_shards(const std::map<std::string, std::vector<std::size_t>>& parents,
                     std::span<const std::string_view> shards) {
    for (const auto& [parent, places] : parents) {
      const std::size_t first = places.front();
      const auto differs = std::ranges::find_if(places, [&](std::size_t at) { return !same(at, first); });
      if (differs != places.end()) {
        const Group* one = scheme_of(first);
        const Group* other = scheme_of(*differs);
        const std::size_t plain = one == nullptr ? first : *differs;
        const Entry* entry = one == nullptr || other == nullptr ? ignoring(modules_[plain]) : nullptr;
        auto& report = context_.sink.report(diag::fused_shards_differ,
                                            entry != nullptr ? entry->span : (one == nullptr ? other : one)->span,
                                            fmt::format("{}` of `{}", fmt::join(shards, "`, `"), parent),
                                            fmt::format("{} and {}", one == nullptr ? "none" : describe(*one),
                                                        other == nullptr ? "none" : describe(*other)));
        report.with_help("write the same scheme for all of them, or add all to `ignore`");
        if (entry != nullptr) advise_on_ignored(report, *entry, modules_[plain], parent, shards);
        if (one != nullptr && other != nullptr) {
          advise_on_groups(report, places, shards);
          add_failure(report, *one, *other);
        }
        return true;
      }
    }
    return false;
  }

  // Runtimes cannot load weights of different sizes: those of one part do not fit the joined parameter.
  void add_failure(diag::Diagnostic& report, const Group& one, const Group& other) const {
    const bool sizes =
        one.weights.args.present && other.weights.args.present && one.weights.args.bits != other.weights.args.bits;
    if (runtime_.empty() || !sizes) return;
    report.with_severity(diag::Severity::error)
        .with_caret(fmt::format("{} cannot load weights of different sizes in one layer", runtime_));
  }

  // Returns the target of a group that matches a module; null if none does.
  [[nodiscard]] static const Entry* target_of(const Group& group, const Module& module) {
    const auto found =
        std::ranges::find_if(group.targets, [&](const Entry& each) { return matcher_of(each.text).takes(module); });
    return found == group.targets.end() ? nullptr : &*found;
  }

  // Returns true if a pattern matches these layers, and besides the matches of another one only layers of these names.
  [[nodiscard]] bool widens(const std::string& wide, const std::string& narrow, const std::vector<std::size_t>& places,
                            std::span<const std::string_view> shards) const {
    const model::Matcher matcher = matcher_of(wide);
    const model::Matcher before = matcher_of(narrow);
    const auto fits = [&](const Module& module) {
      return !takes_scheme(module) || matcher.takes(module) == before.takes(module) ||
             base::contains(shards, base::last_part(module.name));
    };
    return std::ranges::all_of(places, [&](std::size_t at) { return matcher.takes(modules_[at]); }) &&
           std::ranges::all_of(modules_, fits);
  }

  // Advises to extend a pattern for some of the layers, which was written for them, if a class selects the others.
  // Patterns are compared before classes.
  bool advise_to_widen(diag::Diagnostic& report, const std::vector<std::size_t>& places,
                       std::span<const std::string_view> shards) const {
    const Entry* narrow = nullptr;
    const Entry* wide = nullptr;
    std::vector<std::string> others;
    for (const std::size_t at : places) {
      const Entry* entry = scheme_of(at) == nullptr ? nullptr : target_of(*scheme_of(at), modules_[at]);
      if (entry == nullptr) return false;
      const bool pattern = schemes::is_pattern(entry->text);
      const Entry*& known = pattern ? narrow : wide;
      if (known != nullptr && known != entry) return false;
      known = entry;
      if (!pattern) others.push_back(fmt::format("`{}`", base::last_part(modules_[at].name)));
    }
    if (narrow == nullptr || wide == nullptr || wide->text.find('.') != wide->text.npos) return false;
    std::vector<std::string> all(shards.begin(), shards.end());
    all.emplace_back(base::last_part(quantizers::layer_of(modules_[places.front()].name)));
    const std::vector<std::string> candidates = regex::with_alternatives(narrow->text, all);
    const auto text = std::ranges::find_if(
        candidates, [&](const std::string& each) { return widens(each, narrow->text, places, shards); });
    if (text == candidates.end()) return false;
    report.span = narrow->span;
    report.with_label(wide->span, fmt::format("matches {}", base::join_and(others)))
        .with_help(fmt::format("write `{}`, which also matches the joined layer", *text))
        .with_fix(diag::Fix::unsafe().content(narrow->span, *text));
    return true;
  }

  // Advises to move the layers of the group with more of them to the group of the other one, whose scheme was chosen
  // for it.
  void advise_on_groups(diag::Diagnostic& report, const std::vector<std::size_t>& places,
                        std::span<const std::string_view> shards) const {
    if (advise_to_widen(report, places, shards)) return;
    const auto alike = [&](std::size_t at) {
      return std::ranges::count_if(places, [&](std::size_t each) { return same(each, at); });
    };
    const std::size_t single = *std::ranges::min_element(places, {}, alike);
    std::vector<std::string_view> moved;
    std::size_t usual = single;
    for (const std::size_t at : places) {
      if (same(at, single)) continue;
      moved.push_back(base::last_part(modules_[at].name));
      usual = at;
    }
    const Entry* from = target_of(*scheme_of(usual), modules_[usual]);
    const Entry* to = target_of(*scheme_of(single), modules_[single]);
    if (from == nullptr || to == nullptr || moved.size() + 1 != places.size()) return;
    const auto edit = schemes::move_shards(from->text, to->text, moved, base::last_part(modules_[single].name));
    const bool fits = edit && std::ranges::all_of(places, [&](std::size_t at) {
                        return matcher_of(edit->to).takes(modules_[at]) && !matcher_of(edit->from).takes(modules_[at]);
                      });
    if (!fits) return;
    report.span = to->span;
    report.with_label(from->span, fmt::format("matches `{}`", fmt::join(moved, "` and `")))
        .with_help(fmt::format("write `{}` here, and `{}` there", edit->to, edit->from))
        .with_fix(diag::Fix::unsafe().content(to->span, edit->to).content(from->span, edit->from));
  }

  // Returns the entry of `ignore` that matches a module; null if none does.
  [[nodiscard]] const Entry* ignoring(const Module& module) const {
    const auto& ignore = quantization_.ignore;
    if (ignore.given() == nullptr) return nullptr;
    const auto found =
        std::ranges::find_if(*ignore, [&](const Entry& each) { return matcher_of(each.text).takes(module); });
    return found == ignore->end() ? nullptr : &*found;
  }

  // Advises on an entry of `ignore` that matches only some of the layers that runtimes load as one.
  void advise_on_ignored(diag::Diagnostic& report, const Entry& entry, const Module& module, const std::string& parent,
                         std::span<const std::string_view> shards) const {
    std::vector<std::string> parts;
    for (const std::string_view shard : shards) parts.push_back(fmt::format("{}.{}", parent, shard));
    const model::Matcher matcher = matcher_of(entry.text);
    const std::string_view last = base::last_part(module.name);
    const auto count = std::ranges::count_if(modules_, [&](const Module& each) {
      return takes_scheme(each) && base::last_part(each.name) == last && matcher.takes(each);
    });
    report.with_caret(fmt::format("ignores {} `{}`", count, last));
    const Field* list = quantization_.ignore.field();
    const bool extends = list != nullptr && list->value.get<source::List>() != nullptr;
    schemes::advise_whole_layer(report, entry, module.name, parts, modules_,
                                extends ? std::optional(list->value.span) : std::nullopt);
  }

  // With the strategy `tensor_group`, layers that are loaded as one share a scale, so all must have that strategy.
  bool check_fused() {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t at = 0; at < modules_.size(); ++at) places.emplace(modules_[at].name, at);
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      if (!is_fused_scale(at)) continue;
      const std::string& name = modules_[at].name;
      const std::size_t dot = name.rfind('.');
      const std::string parent = dot == std::string::npos ? "" : name.substr(0, dot + 1);
      const auto shards = fused_names(std::string_view(name).substr(parent.size()));
      if (!shards.empty() && report_fused(at, parent, shards, places)) return true;
    }
    return false;
  }

  // Calibration observes the layers that this modifier matches, by the scheme that applies to them after all modifiers.
  [[nodiscard]] bool is_fused_scale(std::size_t at) const {
    const Group* final = scheme_of(at) == nullptr ? nullptr : attached_.scheme_of(at);
    return final != nullptr && modifier_.as<AutoRound>() == nullptr && final->weights.args.present &&
           final->weights.args.dynamic != Dynamic::yes && final->weights.args.strategy == Strategy::tensor_group;
  }

  bool report_fused(std::size_t at, const std::string& parent, std::span<const std::string_view> shards,
                    const std::map<std::string_view, std::size_t>& places) {
    const Module* other = nullptr;
    for (const std::string_view shard : shards) {
      const auto place = places.find(parent + std::string(shard));
      if (place == places.end()) return false;
      if (other == nullptr && !is_fused_scale(place->second)) other = &modules_[place->second];
    }
    if (other == nullptr) {
      return false;
    }
    const bool own = attached_.keeps(number_, at);
    auto& report =
        context_.sink.report(diag::shared_scale, scheme_of(at)->span, other->name,
                             own ? "has another scheme than" : "is not observed together with", modules_[at].name);
    if (!own) report.with_label(attached_.scheme_of(at)->span, "this later scheme applies to them");
    report.with_help(fmt::format("write the same scheme for `{}`, or add all to `ignore`", fmt::join(shards, "`, `")));
    return true;
  }

  // GPTQ only quantizes the weights of Linear layers.
  void check_weights() {
    if (modifier_.as<Gptq>() == nullptr || !quantizes_any()) {
      return;
    }
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* scheme = attached_.scheme_of(at);
      if (scheme_of(at) != nullptr && model::is_linear_class(modules_[at].type) && scheme->weights.args.present) return;
    }
    context_.sink.report(diag::gptq_finds_no_layer, modifier_.key).not_beside(diag::later_scheme_replaces);
  }

  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    const Group* one = scheme_of(a);
    const Group* other = scheme_of(b);
    if (one == nullptr || other == nullptr) return one == other;
    return one->weights.args == other->weights.args && one->inputs.args == other->inputs.args;
  }

  const Context& context_;
  const Modifier& modifier_;
  const Quantization& quantization_;
  std::size_t number_;  // of the modifier
  const Modules& modules_;
  const AttachedSchemes& attached_;
  ModelIndex& index_;
  const std::string& runtime_;
  const std::vector<Group>& groups_;
  std::vector<bool> cached_;  // whether each module is attention with a cache
};

void check_quantized_layers(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at,
                            const Modules& modules, const AttachedSchemes& attached, ModelIndex& index,
                            const std::string& runtime) {
  SchemeCheck(context, modifiers, at, modules, attached, index, runtime).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
