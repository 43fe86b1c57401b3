#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/attached_schemes.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "model/pattern_doubt.h"
#include "regex/literal.h"

// Checks of parts of a model that entries reach differently than their names suggest: blocks, experts and routers.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

DIAGNOSTIC(LC807, ignored_parent, warning, (Text, Text), "`{}` does not ignore the {} in it",
           "Each entry of `ignore` is compared with the name of each layer. The name of a block does not include its "
           "layers, so they are quantized.",
           "write a pattern that matches the layers, such as `re:.*mlp\\..*`")

DIAGNOSTIC(LC808, fused_experts, warning, (Text, Text), "`{}` does not reach the experts {}, which are one parameter",
           "transformers 5 keeps all experts of a block in one parameter. Schemes are attached only to layers, so "
           "these experts are not quantized unless llm-compressor splits them into layers when the model is loaded.",
           "split the experts into layers before the recipe is applied")

DIAGNOSTIC(LC809, router_not_rotated, silent_error, (Text),
           "`R1` rotates the inputs of the routers {}, but not their weights",
           "SpinQuantModifier rotates the inputs of all layers of a block and the weights of the layers that its "
           "mappings name. The router of a mixture of experts is not one of them, so the model selects other experts. "
           "No error is raised.",
           "do not use R1 for a mixture of experts")

namespace {

// Returns the name of the module around another; empty for the model itself.
std::string_view parent_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

bool is_fused_experts(const Module& module) {
  return module.type.ends_with("Experts") && module.type != "Llama4LinearExperts";
}

class PartCheck {
 public:
  PartCheck(const Context& context, const std::vector<Modifier>& modifiers, const Modules& modules,
            const AttachedSchemes& attached)
      : context_(context), modifiers_(modifiers), modules_(modules), attached_(attached) {
    for (std::size_t at = 0; at < modules.size(); ++at) {
      if (takes_scheme(modules[at])) add_to_parents(at);
    }
  }

  void run() {
    for (const Modifier& modifier : modifiers_) {
      if (const auto* quantization = modifier.as<Quantization>()) {
        check_parents(*quantization);
        check_fused_experts(*quantization);
      }
      if (const auto* spin = modifier.as<SpinQuant>(); spin != nullptr && !spin->transform_config.given()) {
        check_routers(modifier, *spin);
      }
      check_doubts(modifier);
    }
  }

 private:
  [[nodiscard]] bool is_quantized(std::size_t at) const {
    const Group* group = attached_.scheme_of(at);
    return group != nullptr && !group->is_empty();
  }

  // Counts a layer for all modules around it.
  void add_to_parents(std::size_t at) {
    const bool quantized = is_quantized(at);
    for (std::string_view name = parent_of(modules_[at].name); !name.empty(); name = parent_of(name)) {
      Inside& inside = inside_[name];
      if (!quantized) continue;
      ++inside.quantized;
      if (inside.first == nullptr) inside.first = &modules_[at];
    }
  }

  // Reports entries of `ignore` that only match modules around quantized layers.
  void check_parents(const Quantization& quantization) {
    for (const Entry& entry : quantization.ignore.value_or({})) {
      if (fault_of(entry.text)) continue;
      const model::Matcher matcher = matcher_of(entry.text);
      std::size_t count = 0;
      const Inside* first = nullptr;
      bool layer = false;
      for (const Module& module : modules_) {
        if (!matcher.takes(module)) continue;
        layer = layer || takes_scheme(module) || (is_attention(module) && is_target(quantization, module));
        const auto inside = module.name.empty() ? inside_.end() : inside_.find(module.name);
        if (inside == inside_.end() || inside->second.quantized == 0) continue;
        count += inside->second.quantized;
        if (first == nullptr) first = &inside->second;
      }
      if (first != nullptr && !layer) report_parent(entry, count, *first->first);
    }
  }

  static bool is_target(const Quantization& quantization, const Module& module) {
    return std::ranges::any_of(quantization.groups, [&](const Group& group) {
      return std::ranges::any_of(group.targets, [&](const Entry& each) { return matcher_of(each.text).takes(module); });
    });
  }

  void report_parent(const Entry& entry, std::size_t count, const Module& layer) {
    const std::string meant = is_pattern(entry.text)
                                  ? std::string(without_end(entry.text).value_or(entry.text)) + "\\..*"
                                  : "re:" + regex::literal(entry.text) + "\\..*";
    const bool fits = !fault_of(meant) && matcher_of(meant).takes(layer.name);
    auto& report = context_.sink.report(diag::ignored_parent, entry.span, entry.text, base::counted(count, "layer"));
    report.with_caret(fmt::format("`{}` is quantized", layer.name));
    if (fits) {
      report.with_help(fmt::format("write `{}`", meant)).with_fix(diag::Fix::unsafe().content(entry.span, meant));
    }
  }

  // Reports experts that are one parameter, if the modifier quantizes other layers.
  void check_fused_experts(const Quantization& quantization) {
    std::vector<const Module*> fused;
    for (const Module& module : modules_) {
      if (is_fused_experts(module) && !inside_.contains(module.name)) fused.push_back(&module);
    }
    const std::vector<Group>& groups = quantization.groups;
    const auto group = std::ranges::find_if(groups, [](const Group& each) { return !each.targets.empty(); });
    if (fused.empty() || group == groups.end() || group->is_empty()) {
      return;
    }
    const model::Matcher ignored = matcher_of(quantization.ignore.value_or({}));
    if (std::ranges::all_of(fused, [&](const Module* module) { return ignored.takes(*module); })) {
      return;
    }
    context_.sink
        .report(diag::fused_experts, group->targets.front().span, group->targets.front().text, list_names(fused))
        .with_help("load the model so that llm-compressor splits the experts into layers, or ignore them by name");
  }

  // R1 rotates the residual stream, and with it the inputs of routers.
  void check_routers(const Modifier& modifier, const SpinQuant& spin) {
    if (!spin.rotates_by("R1")) {
      return;
    }
    std::vector<const Module*> routers;
    for (const Module& module : modules_) {
      const std::string_view last = base::last_part(module.name);
      const bool named = last == "gate" || last == "router" || last == "shared_expert_gate";
      if (named && module.shape && has_experts(parent_of(module.name))) routers.push_back(&module);
    }
    if (!routers.empty()) {
      context_.sink.report(diag::router_not_rotated, modifier.key, list_names(routers))
          .with_help("write `rotations: [R2]`, or delete the modifier");
    }
  }

  [[nodiscard]] bool has_experts(std::string_view parent) const {
    return inside_.contains(parent.empty() ? std::string("experts") : std::string(parent) + ".experts") ||
           std::ranges::any_of(modules_, [&](const Module& module) {
             return is_fused_experts(module) && parent_of(module.name) == parent;
           });
  }

  // Reports patterns that match more names of the model than intended, such as `layers.1.*` for layers 10 to 19.
  void check_doubts(const Modifier& modifier) {
    check_entries(modifier.targets());
    check_entries(modifier.ignore());
    const auto* quantization = modifier.as<Quantization>();
    if (quantization == nullptr || quantization->config_groups.given() == nullptr) {
      return;
    }
    for (const Group& group : quantization->groups) check_entries(group.targets);
  }

  void check_entries(const Entries& entries) {
    for (const Entry& entry : entries) {
      if (is_pattern(entry.text) && !fault_of(entry.text)) check_doubt(entry);
    }
  }

  void check_doubt(const Entry& entry) {
    if (!names_) names_.emplace(modules_);
    const auto doubt = model::doubt_of(pattern_of(entry.text), model::Selector::Over::modules, &*names_, budget_);
    if (!doubt || doubt->kind != model::PatternDoubt::Kind::any_character) {
      return;
    }
    const std::string meant = "re:" + doubt->meant;
    context_.sink.report(diag::unescaped_dot, entry.span, entry.text, doubt->witness)
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::unsafe().content(entry.span, meant));
  }

  // The layers within a module that can have a scheme.
  struct Inside {
    std::size_t quantized = 0;
    const Module* first = nullptr;  // the first one that is quantized
  };

  const Context& context_;
  const std::vector<Modifier>& modifiers_;
  const Modules& modules_;
  const AttachedSchemes& attached_;
  std::map<std::string_view, Inside, std::less<>> inside_;
  std::optional<model::ModelNames> names_;
  base::Budget budget_ = regex::comparison_budget();
};

}  // namespace

void check_model_parts(const Context& context, const std::vector<Modifier>& modifiers, const Modules& modules,
                       const AttachedSchemes& attached) {
  PartCheck(context, modifiers, modules, attached).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
