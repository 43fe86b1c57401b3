#include "dialect/schemes/language.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/budget.h"
#include "base/text.h"
#include "dialect/schemes/targets.h"
#include "model/module_index.h"

namespace sparsecfg::dialect::schemes {

using ir::Decisions;
using ir::Rule;
using ir::Selection;
using model::Module;

namespace {

using Modules = std::span<const Module>;

// Numbers of rules, the deciding one first.
using Matches = std::vector<std::uint32_t>;

// Rules of one list, prepared for matching many modules.
class RuleList {
 public:
  // Of equal entries the last one applies.
  void add(const Rule& rule, std::uint32_t number) {
    if (fault_of(rule.entry)) return;
    if (is_pattern(rule.entry)) {
      patterns_.insert_or_assign(rule.entry, Pattern{matcher_of(rule.entry), number});
    } else {
      words_.insert_or_assign(rule.entry, number);
    }
  }

  // Adds the rules that match a module: full names, patterns in the order of their text, then classes.
  void match(const Module& module, Matches& out) const {
    const auto named = words_.find(module.name);
    if (named != words_.end()) out.push_back(named->second);
    for (const auto& [text, pattern] : patterns_) {
      if (pattern.matcher.takes(module.name)) out.push_back(pattern.rule);
    }
    for (const std::uint32_t rule : rules_of_class(module)) {
      if (std::ranges::find(out, rule) == out.end()) out.push_back(rule);
    }
  }

  [[nodiscard]] std::size_t patterns() const { return patterns_.size(); }

 private:
  struct Pattern {
    model::Matcher matcher;
    std::uint32_t rule;
  };

  // The class of the model itself depends on its name, so it is not kept.
  [[nodiscard]] Matches rules_of_class(const Module& module) const {
    if (module.name.empty()) return find_classes(module);
    const auto known = classes_.find(module.type);
    return known != classes_.end() ? known->second : classes_.emplace(module.type, find_classes(module)).first->second;
  }

  [[nodiscard]] Matches find_classes(const Module& module) const {
    auto names = classes_of(module);
    std::ranges::sort(names);
    Matches out;
    for (const std::string_view name : names) {
      const auto found = words_.find(name);
      if (found != words_.end()) out.push_back(found->second);
    }
    return out;
  }

  std::map<std::string, Pattern> patterns_;                  // sorted by text
  std::map<std::string, std::uint32_t, std::less<>> words_;  // names and classes
  mutable std::unordered_map<std::string, Matches> classes_;
};

// Collects decisions. Modules with the same matches share one.
class DecisionTable {
 public:
  explicit DecisionTable(const Selection& selection) : selection_(selection) {}

  void add_unreached() { out_.of_modules.push_back(0); }

  // `matches` has the deciding rule first.
  void add(const Matches& matches) {
    const auto [known, added] = numbers_.try_emplace(matches, static_cast<std::uint32_t>(out_.entries.size()));
    if (added) out_.entries.push_back(decision_of(matches));
    out_.of_modules.push_back(known->second);
  }

  Decisions take() { return std::move(out_); }

 private:
  [[nodiscard]] Decisions::Decision decision_of(const Matches& matches) const {
    const bool unknown = std::ranges::any_of(selection_.rules, &Rule::unknown);
    if (matches.empty()) return {Decisions::Reason::by_default, Rule::Kind::leaves, 0, {}, {}, unknown};
    const Rule& rule = selection_.rules[matches.front()];
    return {Decisions::Reason::rule,
            rule.kind,
            rule.scheme,
            matches.front(),
            Matches(matches.begin() + 1, matches.end()),
            unknown};
  }

  const Selection& selection_;
  std::map<Matches, std::uint32_t> numbers_;
  Decisions out_;
};

// The rules of `ignore` decide before the others.
struct BothLists {
  explicit BothLists(const Selection& selection) {
    for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
      const Rule& rule = selection.rules[at];
      (rule.kind == Rule::Kind::leaves ? ignored : targets).add(rule, at);
    }
  }

  [[nodiscard]] Matches match(const Module& module) const {
    Matches out;
    ignored.match(module, out);
    Matches taken;
    targets.match(module, taken);
    out.insert(out.end(), taken.begin(), taken.end());
    return out;
  }

  RuleList ignored;
  RuleList targets;
};

// Returns true if a target of the same scheme selects an attention module itself, not its parent or a child.
bool is_meant(const model::ModuleIndex& index, const Selection& selection, std::uint32_t scheme, const Module& module) {
  const std::string parent = module.name.substr(0, std::min(module.name.rfind('.'), module.name.size()));
  const Module* around = index.find(parent);
  const auto inside = index.inside(module.name);
  return std::ranges::any_of(selection.rules, [&](const Rule& rule) {
    if (rule.kind == Rule::Kind::leaves || rule.scheme != scheme || fault_of(rule.entry)) return false;
    const model::Matcher target = matcher_of(rule.entry);
    return target.takes(module) && (around == nullptr || around == &module || !target.takes(*around)) &&
           std::ranges::none_of(inside, [&](const Module* each) { return target.takes(*each); });
  });
}

// Returns an incomplete result if matching all patterns with all modules would be too slow.
bool is_too_slow(const BothLists& lists, Modules modules) {
  base::Budget matches({.steps = 4'000'000});
  return !matches.spend((1 + lists.ignored.patterns() + lists.targets.patterns()) * modules.size());
}

Decisions decide_schemes(const Selection& selection, std::span<const ir::Scheme> /*schemes*/, Modules modules) {
  const BothLists lists(selection);
  if (is_too_slow(lists, modules)) return {.complete = false};
  const std::vector<bool> attention = cached_attention(modules);
  std::optional<model::ModuleIndex> index;  // built on first use
  const auto meant = [&](const Rule& rule, const Module& module) {
    if (!index) index.emplace(modules);
    return is_meant(*index, selection, rule.scheme, module);
  };
  DecisionTable table(selection);
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const Module& module = modules[at];
    const bool layer = takes_scheme(module);
    const Matches matches = layer || attention[at] ? lists.match(module) : Matches();
    const Rule* rule = matches.empty() ? nullptr : &selection.rules[matches.front()];
    const bool other = rule != nullptr && !layer && rule->kind != Rule::Kind::leaves && !meant(*rule, module);
    if (matches.empty() || other) {
      table.add_unreached();
    } else {
      table.add(matches);
    }
  }
  return table.take();
}

Decisions decide_list(const Selection& selection, std::span<const ir::Scheme> /*schemes*/, Modules modules) {
  const BothLists lists(selection);
  if (is_too_slow(lists, modules)) return {.complete = false};
  DecisionTable table(selection);
  for (const Module& module : modules) {
    const Matches matches = lists.match(module);
    if (matches.empty()) {
      table.add_unreached();
    } else {
      table.add(matches);
    }
  }
  return table.take();
}

Decisions decide_cache(const Selection& selection, std::span<const ir::Scheme> /*schemes*/, Modules modules) {
  return decisions_for(selection, modules, cached_attention(modules));
}

// Returns the bits of a layer that is not compressed: its weight, scales, and zero points of 8 bits, even if they are
// 0.
double uncompressed_bits(const ir::Scheme& scheme, const Module& module) {
  constexpr double kScaleAndZeroPoint = 1.5;  // of the bits of the scales
  ir::Scheme stored = scheme;
  stored.weights.front().bits = 16;
  stored.weights.front().symmetric = true;
  const double weight = ir::default_stored_bits({}, module);
  return weight + (ir::default_stored_bits(stored, module) - weight) * kScaleAndZeroPoint;
}

// Integers with quantized inputs are stored as bytes. Only Linear and Embedding are compressed; other classes keep
// their weights. Quantization in the order of activations stores an index for each column.
double stored_bits(const ir::Scheme& scheme, const Module& module) {
  constexpr double kIndexBits = 32;
  if (scheme.weights.empty()) return ir::default_stored_bits(scheme, module);
  if (module.type != "Linear" && module.type != "Embedding") return uncompressed_bits(scheme, module);
  ir::Scheme stored = scheme;
  ir::TensorFormat& format = stored.weights.front();
  const bool bytes = format.type == ir::NumberType::integer && !scheme.inputs.empty();
  if (bytes) format.bits = std::max<std::int64_t>(format.bits, 8);
  const double columns = module.shape && !module.shape->empty() ? static_cast<double>(module.shape->back()) : 0;
  const bool indexed = format.order == "group" || format.order == "dynamic";
  return ir::default_stored_bits(stored, module) + (indexed ? columns * kIndexBits : 0);
}

}  // namespace

std::vector<Rule> rules_of(const std::vector<Entry>& entries, Rule::Kind kind) {
  std::vector<Rule> out;
  for (const Entry& entry : entries) out.push_back({entry.text, entry.span, kind});
  return out;
}

Decisions decisions_for(const Selection& selection, Modules modules, const std::vector<bool>& reached) {
  const BothLists lists(selection);
  DecisionTable table(selection);
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!reached[at] || selection.rules.empty()) {
      table.add_unreached();
      continue;
    }
    Matches matches;
    lists.targets.match(modules[at], matches);
    if (matches.empty()) matches.push_back(0);
    table.add(matches);
  }
  return table.take();
}

std::vector<Module> example_modules(const Selection& /*selection*/) {
  static constexpr std::string_view kCommon[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                                 "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                                 "mlp.down_proj"};
  std::vector<Module> out = {{"lm_head", "Linear", model::Shape{1024, 1024}},
                             {"model.embed_tokens", "Embedding", model::Shape{1024, 1024}}};
  for (const std::string_view name : kCommon) {
    out.push_back({"model.layers.0." + std::string(name), "Linear", model::Shape{1024, 1024}});
  }
  return out;
}

const ir::Language kSchemeLanguage{.name = "llm-compressor",
                                   .decide = decide_schemes,
                                   .examples = example_modules,
                                   .stored_bits = stored_bits,
                                   .order_matters = false};
const ir::Language kListLanguage{
    .name = "llm-compressor, list", .decide = decide_list, .examples = example_modules, .order_matters = false};
const ir::Language kCacheLanguage{
    .name = "llm-compressor, cache", .decide = decide_cache, .examples = example_modules, .order_matters = false};

}  // namespace sparsecfg::dialect::schemes
