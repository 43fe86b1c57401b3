#include "dialect/torchao/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/torchao/call.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/targets.h"
#include "model/matcher.h"
#include "model/roles.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::torchao {

DIAGNOSTIC(TA203, torchao_two_null_parameters, error, (Text), "two parameters of `{}` have null entries",
           "`quantize_` removes entries of a list while it reads the list, and stops with an IndexError.",
           "write one null entry for the module: `\"{0}\": None`")

DIAGNOSTIC(TA209, torchao_key_matches_nothing, silent_warning, (Text), "`{}` matches no module and no parameter",
           "A key without `re:` is a full name, and a pattern must match the whole name. torchao ignores other keys "
           "without a message.",
           "write a full name, or a pattern such as `re:.*\\.down_proj`")

DIAGNOSTIC(
    TA213, torchao_parameters_first, silent_warning, (Text, Text),
    "`{}` decides nothing, because `{}` already selects the weights of these modules",
    "torchao looks up parameters before modules. A key that matches a parameter decides it, wherever it is in the "
    "file, and a key for its module is not used.",
    "write all keys for modules, or all for parameters")

DIAGNOSTIC(TA216, torchao_container_excluded, silent_warning, (Text), "`{}` excludes no layer: it is a container",
           "A key applies to the module that it matches, not to the modules in it. None for a container leaves its "
           "layers to the other keys.",
           "write a pattern for the layers in it, before the keys that select them")

namespace {

// Checks the keys of a map in the modules of a model.
class KeyCheck {
 public:
  KeyCheck(const Context& context, const Configuration& config, const std::vector<model::Module>& units,
           source::Span compiled)
      : context_(context), config_(config), units_(units), compiled_(compiled) {}

  bool run(ir::Assign& assign) {
    if (const auto nulls = two_nulls(assign.selection, units_)) {
      context_.sink.report(diag::torchao_two_null_parameters, assign.selection.rules[nulls->rule].span, nulls->module);
      return false;
    }
    const bool has_shapes =
        std::ranges::any_of(units_, [](const model::Module& unit) { return unit.shape.has_value(); });
    TargetCheck targets(context_, config_, units_, nullptr, has_shapes);
    const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, units_);
    std::vector<bool> used(assign.selection.rules.size(), false);
    for (std::size_t at = 0; at < units_.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool layer = decision.rule && is_linear_or_conv1d(units_[at]);
      if (layer) targets.add_layer(*decision.rule, base::last_part(units_[at].name));
    }
    for (std::size_t at = 0; at < units_.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      if (decision.rule) used[*decision.rule] = true;
      for (const std::uint32_t other : decision.overridden) used[other] = true;
      const bool assigned =
          decision.reason != ir::Decisions::Reason::not_reached && decision.kind == ir::Rule::Kind::assigns;
      if (assigned || is_unfit(config_, decision, units_[at])) targets.check(decision, units_[at]);
    }
    const bool valid = targets.finish();
    report_containers(assign, decisions);
    report_compiled(assign, used);
    report_unused(assign, used);
    return valid;
  }

 private:
  // Reports keys that match only the names of the model before `torch.compile`, as one mistake.
  void report_compiled(ir::Assign& assign, std::vector<bool>& used) {
    if (compiled_.empty()) return;
    const ir::Decisions own = kOwnMap.decide(assign.selection, assign.schemes, units_);
    std::vector<bool> meant(used.size(), false);
    for (const std::uint32_t at : own.of_modules) {
      if (own.entries[at].rule) meant[*own.entries[at].rule] = true;
    }
    bool reported = false;
    for (std::size_t at = 0; at < used.size(); ++at) {
      ir::Rule& rule = assign.selection.rules[at];
      if (used[at] || !meant[at] || rule.unknown) continue;
      used[at] = true;
      if (!std::exchange(reported, true))
        report_compiled_names(context_, rule.span, fmt::format("`{}`", rule.entry), compiled_);
      rule.span = {};
    }
  }

  // Returns true if an entry is the name of a module with linear layers in it that no key of its own excludes.
  [[nodiscard]] bool names_container(const ir::Rule& rule, const ir::Assign& assign,
                                     const ir::Decisions& decisions) const {
    if (rule.kind != ir::Rule::Kind::excludes || rule.entry.starts_with("re:")) return false;
    for (std::size_t at = 0; at < units_.size(); ++at) {
      if (is_linear_or_conv1d(units_[at]) && units_[at].name == rule.entry) return false;
      if (!is_linear_or_conv1d(units_[at]) || !units_[at].name.starts_with(rule.entry + ".")) continue;
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool quantized = decision.kind == ir::Rule::Kind::assigns;
      if (quantized && (!decision.rule || assign.selection.rules[*decision.rule].entry != rule.entry)) return true;
    }
    return false;
  }

  // Reports containers that should be excluded as one mistake.
  void report_containers(const ir::Assign& assign, const ir::Decisions& decisions) {
    std::vector<const ir::Rule*> containers;
    for (const ir::Rule& rule : assign.selection.rules) {
      if (names_container(rule, assign, decisions)) containers.push_back(&rule);
    }
    if (containers.empty()) return;
    auto& report =
        context_.sink.report(diag::torchao_container_excluded, containers.front()->span, containers.front()->entry);
    std::vector<std::string> names;
    for (const ir::Rule* each : containers) {
      if (each != containers.front()) report.with_label(each->span, "another container");
      names.push_back(regex::literal(each->entry));
    }
    const std::string name = names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, "|"));
    report.with_help(fmt::format("write `re:{}\\..*` in place of {}, before the other keys", name,
                                 names.size() == 1 ? "it" : "them"));
  }

  // Returns a pattern for the layers that a key without a match names, or that have a similar name.
  static std::string help_for(const std::string& key, std::span<const std::string_view> layers) {
    const std::string_view word = base::last_part(key);
    const auto near = base::contains(layers, word) ? std::optional(word) : base::nearest(word, layers);
    if (near) return fmt::format("write `re:.*{}`", *near);
    std::string other = model::counterpart_of(key, layers).pattern();
    if (other.ends_with('$')) other.pop_back();  // a pattern matches the whole name
    return other.empty() ? "" : fmt::format("write `re:{}`", other);
  }

  // Returns the help for a key that names single experts of a model whose experts are parameters; empty for others.
  [[nodiscard]] std::string pattern_of_experts(const std::string& key) const {
    constexpr std::string_view kExperts = ".experts.";
    if (key.find("experts") == std::string::npos) return {};
    std::set<std::string_view> parts;
    for (const model::Module& unit : units_) {
      const std::size_t at = unit.type == kParameterType ? unit.name.find(kExperts) : std::string::npos;
      const bool weight = at != std::string::npos && unit.shape && unit.shape->size() == 3;
      if (weight) parts.insert(std::string_view(unit.name).substr(at + kExperts.size()));
    }
    if (parts.empty()) return {};
    return fmt::format("write `re:.*\\.experts\\.({})`: the experts of this model are parameters, not modules",
                       fmt::join(parts, "|"));
  }

  void report_unused(ir::Assign& assign, const std::vector<bool>& used) {
    const std::vector<std::string_view> layers = names_of_layers(units_);
    for (std::size_t at = 0; at < used.size(); ++at) {
      ir::Rule& rule = assign.selection.rules[at];
      if (used[at] || rule.unknown || rule.entry == "_default") continue;
      const std::string pattern = rule.entry.starts_with("re:") ? rule.entry.substr(3) : rule.entry;
      if (report_overridden(rule, pattern, assign)) continue;
      const std::string experts = pattern_of_experts(pattern);
      context_.sink.report(diag::torchao_key_matches_nothing, rule.span, rule.entry)
          .with_help(experts.empty() ? help_for(pattern, layers) : experts);
      rule.span = {};  // so that common checks do not report it again
    }
  }

  // Reports a key for modules whose weights another key selects as parameters. Returns false for other keys.
  bool report_overridden(ir::Rule& rule, const std::string& pattern, const ir::Assign& assign) const {
    if (!rule.entry.starts_with("re:")) return false;
    constexpr std::string_view kWeight = "\\.weight";
    const model::Matcher own(fmt::format("(?:{})$", pattern));
    const auto selects_weights = [&](const ir::Rule& each) {
      if (!each.entry.starts_with("re:") || !each.entry.ends_with(kWeight)) return false;
      const model::Matcher weights(fmt::format("(?:{})$", each.entry.substr(3)));
      return std::ranges::any_of(units_, [&](const model::Module& unit) {
        return is_linear_or_conv1d(unit) && own.match(unit.name) == regex::Match::yes &&
               weights.match(unit.name + ".weight") == regex::Match::yes;
      });
    };
    const auto other = std::ranges::find_if(assign.selection.rules, selects_weights);
    if (other == assign.selection.rules.end()) return false;
    const std::string meant = other->entry.substr(0, other->entry.size() - kWeight.size());
    context_.sink.report(diag::torchao_parameters_first, rule.span, rule.entry, other->entry)
        .with_label(other->span, "selects parameters")
        .with_help(fmt::format("write `{}` in place of `{}`", meant, other->entry))
        .with_fix(diag::Fix::unsafe().content(other->span, meant));
    rule.span = {};  // so that common checks do not report it again
    return true;
  }

  const Context& context_;
  const Configuration& config_;
  const std::vector<model::Module>& units_;
  source::Span compiled_;
};

}  // namespace

bool check_keys(const Context& context, const Configuration& config, ir::Assign& assign,
                const std::vector<model::Module>& units, source::Span compiled) {
  return KeyCheck(context, config, units, compiled).run(assign);
}

}  // namespace sparsecfg::dialect::torchao
