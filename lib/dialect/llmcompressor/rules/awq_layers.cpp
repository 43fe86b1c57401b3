#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/attached_schemes.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/record/types.h"

// Checks the layers that AWQ scales in a model.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

DIAGNOSTIC(
    LC815, hook_without_module, error, (Text), "`activation_hook_target` names no module within `{}`",
    "AWQ records the inputs of this module, which is a child of the module that contains the balanced layers. It "
    "stops when it looks up a name that does not exist.",
    "write the name of a child module, or delete `activation_hook_target`")

DIAGNOSTIC(LC404, awq_tensor_duo, error, (), "weights with one scale per tensor require `duo_scaling: false`",
           "Duo scaling uses groups or channels of the weights. AWQModifier stops at the first layer with a single "
           "scale for its weight.",
           "write `duo_scaling: false`")

void report_duo_scaling(const Context& context, const Awq& awq, const Group& one_scale) {
  const auto& duo = awq.duo_scaling;
  context.sink.report(diag::awq_tensor_duo, duo.place())
      .with_label(one_scale.span, "these weights have one scale per tensor")
      .with_fix(duo.field() != nullptr ? diag::Fix::unsafe().replace(duo.place(), "false") : diag::Fix());
}

DIAGNOSTIC(LC408, awq_without_weights, error, (Text), "`AWQModifier` fails {}",
           "AWQModifier compares the outputs of layers with their quantized weights. It fails if a layer that it "
           "balances gets no scheme for its weights.",
           "add `weights` to the scheme of the quantization modifier")

DIAGNOSTIC(LC409, awq_scales_differ, error, (Text, Text),
           "`AWQModifier` fails at `{}`, whose scales differ in shape from those of `{}`",
           "The weights of all layers that one mapping balances are quantized by the arguments of the last of them. "
           "Scales of another shape raise a RuntimeError, unless they can be broadcast.",
           "write the same strategy and group size for all layers that one mapping balances")

DIAGNOSTIC(LC410, awq_blocks, error, (Text, std::uint64_t, std::uint64_t),
           "`AWQModifier` fails at `{}`, which blocks of {} x {} do not divide",
           "Duo scaling computes one number for each block of the scheme, without padding.",
           "write `duo_scaling: false`")

DIAGNOSTIC(LC411, awq_mapped_twice, error, (Text, Text), "`AWQModifier` fails at `{}`, {}",
           "The statistics of a scaled module and the inputs of the module around the balanced layers are deleted "
           "after the first mapping that uses them. The second one raises a KeyError in calibration.",
           "write one mapping for all of these layers")

DIAGNOSTIC(
    LC412, awq_rotated_inputs, error, (Text, Text), "`AWQModifier` fails at `{}`, whose inputs `{}` rotates",
    "AWQModifier calls a single layer with arguments by name, but a rotation of its inputs requires them by position.",
    "write `mappings` without this layer, or delete one of the two modifiers")

namespace {

// A module that AWQ scales, and the layers that it balances.
struct ScaledSet {
  const Module* scaled;
  std::vector<const Module*> balanced;
  const Mapping* mapping;
};

class AwqLayers {
 public:
  AwqLayers(const Modifier& awq, const Modules& modules, const AttachedSchemes& attached)
      : modules_(modules), attached_(attached), mappings_(mappings_of(awq, modules)) {
    for (const Mapping& mapping : mappings_) add(mapping);
  }

  [[nodiscard]] const std::vector<ScaledSet>& sets() const { return sets_; }

  // Returns false if a mapping can't be resolved, which is reported itself.
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] const Group* scheme_of(const Module& module) const {
    return attached_.scheme_of(static_cast<std::size_t>(&module - modules_.data()));
  }

 private:
  void add(const Mapping& mapping) {
    std::vector<std::string> patterns = mapping.balanced;
    patterns.insert(patterns.begin(), mapping.scaled);
    if (std::ranges::any_of(patterns, [](const std::string& each) { return fault_of(each).has_value(); })) {
      complete_ = false;
      return;
    }
    const Sets found = sets_in(modules_, patterns);
    complete_ = complete_ && !found.failed();
    for (const auto& set : found.sets) {
      ScaledSet each{set.front().front(), {}, &mapping};
      for (std::size_t at = 1; at < set.size(); ++at) {
        each.balanced.insert(each.balanced.end(), set[at].begin(), set[at].end());
      }
      if (is_used(each)) sets_.push_back(std::move(each));
    }
  }

  // AWQ skips sets without a scheme, and values of grouped attention that are narrower than the layer after them.
  [[nodiscard]] bool is_used(const ScaledSet& set) const {
    const auto quantized = [&](const Module* module) { return scheme_of(*module) != nullptr; };
    const auto invalid = [&](const Module* module) { return !fits(*set.scaled, *module); };
    return !set.balanced.empty() && (quantized(set.scaled) || std::ranges::any_of(set.balanced, quantized)) &&
           std::ranges::none_of(set.balanced, invalid);
  }

  static bool fits(const Module& scaled, const Module& balanced) {
    if (scaled.type != "Linear" || balanced.type != "Linear" || !scaled.shape || !balanced.shape ||
        !balanced.name.ends_with(".o_proj")) {
      return true;
    }
    const std::uint64_t parts = scaled.name.ends_with(".qkv_proj") ? 3 : 1;
    return (parts == 1 && !scaled.name.ends_with(".v_proj")) || scaled.shape->front() == parts * balanced.shape->back();
  }

  const Modules& modules_;
  const AttachedSchemes& attached_;
  std::vector<Mapping> mappings_;
  std::vector<ScaledSet> sets_;
  bool complete_ = true;
};

class AwqCheck {
 public:
  AwqCheck(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at, const Modules& modules,
           const AttachedSchemes& attached, Release release)
      : context_(context),
        modifiers_(modifiers),
        at_(at),
        release_(release),
        layers_(modifiers[at], modules, attached),
        fields_(*modifiers[at].as<Awq>()) {
    for (const Module& module : modules) by_name_.emplace(module.name, &module);
  }

  void run() {
    if (!layers_.complete()) {
      return;
    }
    for (const ScaledSet& set : layers_.sets()) {
      if (check_hook(set) || check_schemes(set) || check_fused(set) || check_scales(set) || check_parent(set) ||
          check_repeated(set)) {
        return;
      }
    }
  }

 private:
  [[nodiscard]] const Modifier& awq() const { return modifiers_[at_]; }

  [[nodiscard]] source::Span place_of(const ScaledSet& set) const {
    return set.mapping->span.empty() ? awq().key : set.mapping->span;
  }

  // Returns the module whose outputs AWQ compares: the lowest one around all layers that is not a list.
  [[nodiscard]] std::string parent_of(const ScaledSet& set) const {
    std::string out = set.balanced.front()->name;
    for (const Module* module : set.balanced) {
      while (module->name != out && !module->name.starts_with(out + ".") && !out.empty()) go_up(out);
    }
    for (auto found = by_name_.find(out); !out.empty() && found != by_name_.end(); found = by_name_.find(out)) {
      if (found->second->type != "ModuleList" && found->second->type != "LinearExperts2D") break;
      go_up(out);
    }
    return out;
  }

  static void go_up(std::string& name) {
    const std::size_t dot = name.rfind('.');
    name.resize(dot == std::string::npos ? 0 : dot);
  }

  bool check_hook(const ScaledSet& set) {
    const std::string& hooked = set.mapping->hooked;
    const std::string parent = parent_of(set);
    const std::string full = parent.empty() ? hooked : parent + "." + hooked;
    if (hooked.empty() || by_name_.contains(full)) {
      return false;
    }
    context_.sink.report(diag::hook_without_module, set.mapping->span, parent);
    return true;
  }

  bool check_schemes(const ScaledSet& set) {
    bool quantized = false;
    for (const Module* module : set.balanced) {
      if (set.scaled->shape && lacks_weight(*module)) return report_no_weight(*module);
      const Group* group = layers_.scheme_of(*module);
      quantized = quantized || group != nullptr;
      if (group != nullptr && check_scheme(*module, *group)) return true;
    }
    if (!fields_.is_duo() || quantized) {
      return false;
    }
    context_.sink
        .report(diag::awq_without_weights, awq().key,
                fmt::format("at `{}`, because no layer that it balances has a scheme", set.scaled->name))
        .with_help("write targets that match the balanced layers, or `duo_scaling: false`");
    return true;
  }

  bool report_no_weight(const Module& module) {
    context_.sink.report(diag::balanced_without_weight, awq().key, module.name);
    return true;
  }

  // Returns the place of the preset of a modifier that attaches an empty scheme because the preset is not known.
  [[nodiscard]] source::Span place_of_scheme(const Group& group) const {
    for (const Modifier& modifier : modifiers_) {
      const auto* quantization = modifier.as<Quantization>();
      const bool empty = quantization != nullptr && quantization->groups.empty() && modifier.key == group.span;
      if (empty && quantization->scheme.field() != nullptr) return quantization->scheme.place();
    }
    return {};
  }

  bool check_scheme(const Module& module, const Group& group) {
    const QuantizationArgs& weights = group.weights.args;
    if (!weights.present) {
      context_.sink
          .report(diag::awq_without_weights, awq().key,
                  fmt::format("at `{}`, whose scheme has no weights", module.name))
          .with_label(group.span, "has no `weights`")
          .with_cause(place_of_scheme(group))
          .with_help("add `weights` to the scheme, or add the layer to `ignore` there");
      return true;
    }
    if (fields_.is_duo() && weights.strategy == Strategy::tensor) {
      report_duo_scaling(context_, fields_, group);
      return true;
    }
    return fields_.is_duo() && weights.strategy == Strategy::block && check_blocks(module, group);
  }

  bool check_blocks(const Module& module, const Group& group) {
    const auto [rows, columns] = blocks_of(group);
    const bool known = module.shape && module.shape->size() == 2 && rows > 0 && columns > 0;
    if (!known || (module.shape->front() % rows == 0 && module.shape->back() % columns == 0)) {
      return false;
    }
    context_.sink.report(diag::awq_blocks, awq().key, module.name, rows, columns)
        .with_label(group.span, "sets these blocks");
    return true;
  }

  // Returns the rows and columns of a block. The preset has 128 of each.
  static std::pair<std::uint64_t, std::uint64_t> blocks_of(const Group& group) {
    const auto* value = group.weights.value;
    if (value == nullptr) return {128, 128};
    const source::Value* blocks = value->find("block_structure");
    const auto* text = blocks == nullptr ? nullptr : blocks->get<std::string>();
    if (text != nullptr && text->find('x') != std::string::npos) {
      const std::size_t mark = text->find('x');
      return {side_of(text->substr(0, mark)), side_of(text->substr(mark + 1))};
    }
    const auto* list = blocks == nullptr ? nullptr : blocks->get<source::List>();
    if (list == nullptr || list->size() != 2) return {0, 0};
    const auto rows = as_real((*list)[0]).value_or(0);
    const auto columns = as_real((*list)[1]).value_or(0);
    return {static_cast<std::uint64_t>(std::max(rows, 0.0)), static_cast<std::uint64_t>(std::max(columns, 0.0))};
  }

  static std::uint64_t side_of(std::string_view text) {
    text = base::trim(text);
    std::uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  }

  [[nodiscard]] bool shares_scale(const Module& module) const {
    const Group* group = layers_.scheme_of(module);
    return group != nullptr && group->weights.args.present && group->weights.args.strategy == Strategy::tensor_group;
  }

  // Returns a layer that shares a scale with a balanced one but is not balanced, or null. Layers outside of the module
  // whose outputs are compared do not count (docs/semantics/llm-compressor.md#b6-8).
  [[nodiscard]] const Module* missing_beside(const Module& module, const ScaledSet& set,
                                             const std::string& parent) const {
    const std::size_t dot = module.name.rfind('.');
    const std::string beside = dot == std::string::npos ? "" : module.name.substr(0, dot + 1);
    if (!parent.empty() && !beside.starts_with(parent + ".")) return nullptr;
    const Module* missing = nullptr;
    for (const std::string_view name : fused_names(base::last_part(module.name))) {
      const auto found = by_name_.find(beside + std::string(name));
      if (found == by_name_.end()) return nullptr;
      const bool balanced = std::ranges::find(set.balanced, found->second) != set.balanced.end();
      if (!balanced && shares_scale(*found->second)) missing = found->second;
    }
    return missing;
  }

  // The grid search observes only the balanced layers, but fuses their scales with those of all layers beside them.
  bool check_fused(const ScaledSet& set) {
    if (!is_at_least(release_, Release::v0_13)) return false;
    const std::string parent = parent_of(set);
    for (const Module* module : set.balanced) {
      const Module* missing = shares_scale(*module) ? missing_beside(*module, set, parent) : nullptr;
      if (missing == nullptr) continue;
      context_.sink
          .report(diag::shared_scale, place_of(set), missing->name, "is not balanced together with", module->name)
          .with_help(fmt::format("add `re:.*{}$` to the `balance_layers` of `{}`", base::last_part(missing->name),
                                 base::last_part(module->name)));
      return true;
    }
    return false;
  }

  // The scales of all balanced layers are applied by the scheme of the last one.
  bool check_scales(const ScaledSet& set) {
    const auto quantized = [&](const Module* module) { return layers_.scheme_of(*module) != nullptr; };
    const auto last = std::ranges::find_if(set.balanced.rbegin(), set.balanced.rend(), quantized);
    const auto fails = [&](const Module* module) { return quantized(module) && !scales_fit(*module, **last); };
    const auto found = std::ranges::find_if(set.balanced, fails);
    if (found == set.balanced.end()) {
      return false;
    }
    context_.sink.report(diag::awq_scales_differ, awq().key, (*found)->name, (*last)->name)
        .with_label(layers_.scheme_of(**found)->span, "scheme of the first layer");
    return true;
  }

  // Returns true if the scales of a layer can be applied by the scheme of another one. Unknown shapes fit.
  [[nodiscard]] bool scales_fit(const Module& module, const Module& last) const {
    const Group& own = *layers_.scheme_of(module);
    const Group& other = *layers_.scheme_of(last);
    const Strategy strategy = own.weights.args.strategy;
    const Strategy applied = other.weights.args.strategy;
    if (strategy == Strategy::tensor || !module.shape || module.shape->size() != 2) {
      return true;
    }
    if (strategy == Strategy::block || applied == Strategy::block) {
      return strategy == applied && blocks_of(own) == blocks_of(other);
    }
    const std::uint64_t scales = scales_in(module, own);
    return scales == 1 || scales == scales_in(module, other);
  }

  // Returns the number of scales in a row.
  static std::uint64_t scales_in(const Module& module, const Group& group) {
    const QuantizationArgs& weights = group.weights.args;
    const bool grouped = weights.strategy == Strategy::group || weights.strategy == Strategy::tensor_group;
    const auto size = static_cast<std::uint64_t>(grouped && weights.group_size > 0 ? weights.group_size : 0);
    return size == 0 ? 1 : module.shape->back() / size;
  }

  // AWQ deletes the statistics of the scaled module and the inputs of the parent after the first mapping that uses
  // them.
  bool check_repeated(const ScaledSet& set) {
    const std::string parent = parent_of(set);
    const bool twice = !scaled_.insert(set.scaled).second;
    if (!twice && parents_.insert(parent).second) {
      return false;
    }
    context_.sink.report(diag::awq_mapped_twice, place_of(set), twice ? set.scaled->name : parent,
                         twice ? "which two mappings scale" : "in which two mappings balance layers");
    return true;
  }

  // AWQ calls a single layer with arguments by name, but a rotation of its inputs requires them by position.
  bool check_parent(const ScaledSet& set) {
    const std::string parent = parent_of(set);
    const auto found = by_name_.find(parent);
    if (found == by_name_.end() || found->second->type != "Linear") {
      return false;
    }
    for (std::size_t at = 0; at < at_; ++at) {
      if (!rotates_inputs(modifiers_[at], *found->second)) continue;
      context_.sink.report(diag::awq_rotated_inputs, awq().key, parent, modifiers_[at].spec->name)
          .with_label(modifiers_[at].key, "rotates its inputs");
      return true;
    }
    return false;
  }

  static bool rotates_inputs(const Modifier& modifier, const Module& module) {
    const auto* rotation = modifier.as<Rotation>();
    if (rotation == nullptr || rotation->transform_config.given() != nullptr) return false;
    if (modifier.as<SpinQuant>() != nullptr) {
      return rotation->rotates_by("R4") && module.name.ends_with("down_proj");
    }
    return rotation->rotates_by("V") && matcher_of(modifier.targets()).takes(module) &&
           !matcher_of(modifier.ignore()).takes(module);
  }

  const Context& context_;
  const std::vector<Modifier>& modifiers_;
  std::size_t at_;
  Release release_;
  AwqLayers layers_;
  const Awq& fields_;
  std::map<std::string_view, const Module*> by_name_;
  std::set<const Module*> scaled_;  // by the mappings so far
  std::set<std::string> parents_;
};

}  // namespace

void check_awq_layers(const Context& context, const std::vector<Modifier>& modifiers, std::size_t at,
                      const Modules& modules, const AttachedSchemes& attached, Release release) {
  AwqCheck(context, modifiers, at, modules, attached, release).run();
}

bool scales_nothing(const Modifier& awq, const Modules& modules, const AttachedSchemes& attached) {
  const AwqLayers layers(awq, modules, attached);
  return layers.complete() && layers.sets().empty();
}

}  // namespace sparsecfg::dialect::llmcompressor
