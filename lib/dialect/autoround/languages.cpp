#include "dialect/autoround/languages.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/selection.h"

namespace sparsecfg::dialect::autoround {

using ir::Decisions;
using ir::Rule;
using ir::Selection;
using selectors::Entry;
using selectors::Fact;
using selectors::How;
using selectors::Rank;
using selectors::Reader;
using selectors::Space;

namespace {

// --- records --------------------------------------------------------------------------------------------

std::vector<std::string> rewrite(std::string_view key) { return {rewritten(key)}; }

constexpr Reader kOwnReader{.name{"AutoRound"},
                            .fields = {"layer_config", "ignore_layers"},
                            .polarity = selectors::Polarity::assign,
                            .how = {How::search},
                            .rewrite = rewrite,
                            .quantized_if = {.classes = {}, .facts = {Fact::in_block}},
                            .empty_is_absent = false};

constexpr Reader kModelFreeReader{.name{"AutoRound without a model"},
                                  .fields = {"layer_config", "ignore_layers"},
                                  .polarity = selectors::Polarity::assign,
                                  .empty_is_absent = false};

constexpr Reader kLoaderReader{.name{"AutoRound, saved"},
                               .fields = {"extra_config"},
                               .polarity = selectors::Polarity::assign,
                               .how = {How::search},
                               .bad_pattern = selectors::BadPattern::never_matches,
                               .quantized_if = {.classes = {}, .facts = {Fact::in_block}},
                               .empty_is_absent = false};

// The kinds of keys.
constexpr std::uint8_t kLayerKey = 0;  // the name of a layer
constexpr std::uint8_t kPatternKey = 1;
constexpr std::uint8_t kIgnoredLayerKey = 2;
constexpr std::uint8_t kIgnoredPatternKey = 3;
constexpr std::uint8_t kBuiltInKey = 4;
constexpr std::uint8_t kUnusedKey = 5;

constexpr Rank kOwnRanks[] = {
    {.keys = kPatternKey, .how = How::search, .order = selectors::Order::last, .rewrite = rewrite},
    {.keys = kLayerKey, .how = How::exact}};
constexpr Rank kModelFreeRanks[] = {{.keys = kBuiltInKey, .how = How::search},
                                    {.keys = kIgnoredLayerKey, .how = How::exact},
                                    {.keys = kIgnoredPatternKey, .how = How::search, .rewrite = rewrite},
                                    {.keys = kLayerKey, .how = How::exact},
                                    {.keys = kPatternKey, .how = How::search, .rewrite = rewrite}};
constexpr Rank kLoaderRanks[] = {{.keys = kLayerKey, .how = How::exact}, {.keys = kPatternKey, .how = How::search}};
// In vLLM, every key is also compared as a name.
constexpr Rank kVllmRanks[] = {{.keys = kLayerKey, .how = How::exact},
                               {.keys = kPatternKey, .how = How::exact},
                               {.keys = kPatternKey, .how = How::search}};
constexpr Rank kSglangRanks[] = {{.keys = kLayerKey, .how = How::exact},
                                 {.keys = kPatternKey, .how = How::exact},
                                 {.keys = kPatternKey, .how = How::fullmatch}};

// Returns the entries of all ranks, without those of blocks.
std::vector<Entry> ranked(const Reader& reader, std::span<const Rank> ranks, const Selection& selection, auto kind_of) {
  std::vector<Entry> entries = quantizers::entries_of(selection);
  std::erase_if(entries, [&](const Entry& entry) { return selection.rules[entry.place].kind == Rule::Kind::leaves; });
  std::vector<std::uint8_t> kinds;
  for (const Entry& entry : entries) kinds.push_back(kind_of(entry));
  auto out = selectors::ranked(reader, ranks, entries, kinds);
  auto* list = std::get_if<std::vector<Entry>>(&out);
  return list == nullptr ? std::vector<Entry>() : std::move(*list);
}

// --- blocks -----------------------------------------------------------------------------------------------

bool is_other_tower(std::string_view name) {
  constexpr std::string_view kWords[] = {"visual", "vision", "audio", "thinker_talker", "image"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// Returns the name of the outermost block of a module: up to its first part that is a number. Empty outside of blocks.
std::string_view block_of(std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (begin > 0 && std::ranges::all_of(part, base::is_digit)) return name.substr(0, end);
    begin = end + 1;
  }
  return {};
}

// The blocks of a model whose layers get the base scheme.
class Blocks {
 public:
  Blocks(const Selection& selection, std::span<const model::Module> modules) : modules_(modules) {
    for (const Rule& rule : selection.rules) {
      if (rule.kind != Rule::Kind::leaves) continue;
      if (rule.entry == kHeadRule) {
        head_ = true;
      } else if (rule.entry == kNontextRule) {
        nontext_ = true;
      } else if (rule.entry == kTiedRule) {
        tied_ = true;
      } else if (rule.entry.starts_with(kPartRule)) {
        parts_.push_back(rule.entry.substr(kPartRule.size()));
      } else if (!base::contains(kRemarks, rule.entry)) {
        names_.push_back(rule.entry);
      }
    }
    for (const model::Module& module : modules) {
      const bool list = module.type == "ModuleList";
      const bool outer = list && std::ranges::none_of(lists_, [&](const std::string& other) {
                           return module.name.starts_with(other + ".");
                         });
      if (outer) lists_.insert(module.name);
    }
  }

  // Returns for each module whether it is in a block that AutoRound quantizes.
  [[nodiscard]] std::vector<bool> by_search() const {
    std::map<std::string, bool, std::less<>> known;
    std::vector<bool> out;
    for (const model::Module& module : modules_) {
      const std::string block(usual_block(module.name));
      const auto [found, added] = known.try_emplace(block, false);
      if (added)
        found->second = !block.empty() && (nontext_ || !is_other_tower(block)) && (names_.empty() || is_named(block));
      out.push_back(found->second || (head_ && module.name == "lm_head"));
    }
    return out;
  }

  // Returns the same for a program that compares the starts of names.
  [[nodiscard]] std::vector<bool> by_prefix() const {
    std::vector<bool> out;
    for (const model::Module& module : modules_) {
      const auto starts = [&](const std::string& prefix) { return module.name.starts_with(prefix); };
      out.push_back(names_.empty() ? !usual_block(module.name).empty() : std::ranges::any_of(names_, starts));
    }
    return out;
  }

  [[nodiscard]] bool has_names() const { return !names_.empty(); }

  [[nodiscard]] bool has_tied_head() const { return tied_; }

  // Returns true if the list of parts, if there is one, names a layer.
  [[nodiscard]] bool is_part(const std::string& name) const {
    const auto contains = [&](const std::string& part) { return name.find(part) != std::string::npos; };
    return parts_.empty() || std::ranges::any_of(parts_, contains);
  }

  // Returns the block of a module. If the classes are known, blocks are the items of lists of modules.
  [[nodiscard]] std::string_view usual_block(std::string_view name) const {
    const std::string_view block = block_of(name);
    const std::size_t dot = block.rfind('.');
    return lists_.empty() || (dot != std::string_view::npos && lists_.contains(std::string(block.substr(0, dot))))
               ? block
               : std::string_view();
  }

 private:
  [[nodiscard]] bool is_named(const std::string& block) const {
    static constexpr Reader kBlocks{.name{"AutoRound, blocks"},
                                    .fields = {"to_quant_block_names"},
                                    .polarity = selectors::Polarity::keep,
                                    .how = {How::search}};
    std::vector<Entry> entries;
    for (const std::string& name : names_) entries.push_back({name});
    entries = quantizers::prepared(kBlocks, std::move(entries));
    const selectors::Module module{block, "", {}};
    base::Budget budget = selectors::assignment_budget();
    const auto matched = selectors::matched_entries(kBlocks, entries, std::span(&module, 1), budget);
    return std::ranges::find(matched, true) != matched.end();
  }

  std::span<const model::Module> modules_;
  std::vector<std::string> names_;
  std::vector<std::string> parts_;
  std::set<std::string> lists_;
  bool head_ = false;
  bool nontext_ = false;
  bool tied_ = false;
};

// Returns the layers that AutoRound examines, and a mark for those in blocks. Other modules have no name, so nothing
// matches them.
std::vector<selectors::Module> layers_in(std::span<const model::Module> modules, const std::vector<bool>& in_block) {
  std::vector<selectors::Module> out = quantizers::plain_modules(modules);
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (in_block[at]) out[at].facts.add(Fact::in_block);
  }
  return out;
}

std::set<std::string, std::less<>> names_of_layers(std::span<const model::Module> modules) {
  std::set<std::string, std::less<>> out;
  for (const model::Module& module : modules) {
    if (quantizers::is_linear(module)) out.insert(module.name);
  }
  return out;
}

// Modules that are no layers are never examined.
void leave_other_modules(Decisions& decisions, std::span<const model::Module> modules) {
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!quantizers::is_linear(modules[at])) decisions.of_modules[at] = 0;
  }
}

// --- shapes -----------------------------------------------------------------------------------------------

// Returns true if AutoRound keeps a layer of this shape in 16 bits (docs/semantics/autoround.md#b1-7).
bool is_unfit(const model::Module& module, const ir::Scheme& base) {
  constexpr std::uint64_t kSide = 32;
  if (!module.shape || module.shape->size() != 2 || base.weights.empty() || !quantizers::is_linear(module))
    return false;
  const ir::TensorFormat& weights = base.weights.front();
  const bool scaled = weights.scale_type == "e8m0" || weights.scale_type == "e4m3";
  if (weights.type == ir::NumberType::integer && base.inputs.empty()) {
    return std::ranges::any_of(*module.shape, [](std::uint64_t side) { return side % kSide != 0; });
  }
  return scaled && weights.type == ir::NumberType::floating && weights.group_size > 0 &&
         (*module.shape)[1] % static_cast<std::uint64_t>(weights.group_size) != 0;
}

std::vector<bool> unfit_layers(const Selection& selection, std::span<const ir::Scheme> schemes,
                               std::span<const model::Module> modules) {
  std::vector<bool> out(modules.size(), false);
  for (std::size_t at = 0; selection.otherwise && at < modules.size(); ++at)
    out[at] = is_unfit(modules[at], schemes[*selection.otherwise]);
  return out;
}

std::set<std::uint32_t> lost(const Decisions& decisions, const std::vector<bool>& unfit) {
  std::set<std::uint32_t> out;
  for (std::size_t at = 0; at < unfit.size(); ++at) {
    const auto& rule = decisions.entries[decisions.of_modules[at]].rule;
    if (unfit[at] && rule) out.insert(*rule);
  }
  return out;
}

// All layers of a rule share one mapping, which one unfit layer changes to 16 bits.
void apply_shapes(Decisions& decisions, const std::vector<bool>& unfit) {
  const std::set<std::uint32_t> rules = lost(decisions, unfit);
  for (std::size_t at = 0; at < unfit.size(); ++at) {
    Decisions::Decision decision = decisions.entries[decisions.of_modules[at]];
    const bool plain = unfit[at] || (decision.rule && rules.contains(*decision.rule));
    if (!plain || decision.kind != Rule::Kind::assigns) continue;
    decision.kind = Rule::Kind::excludes;
    decision.scheme = 0;
    decisions.entries.push_back(decision);
    decisions.of_modules[at] = static_cast<std::uint32_t>(decisions.entries.size() - 1);
  }
}

// --- decisions ----------------------------------------------------------------------------------------------

// Decides as if `lm_head` had a separate weight.
Decisions decide_untied(const Selection& selection, std::span<const model::Module> modules) {
  const auto layers = names_of_layers(modules);
  const auto kind_of = [&](const Entry& entry) { return layers.contains(entry.text) ? kLayerKey : kPatternKey; };
  const auto entries = ranked(kOwnReader, kOwnRanks, selection, kind_of);
  Decisions out =
      quantizers::decide(kOwnReader, entries, layers_in(modules, Blocks(selection, modules).by_search()), selection);
  leave_other_modules(out, modules);
  return out;
}

Decisions decide_by_rules(const Selection& selection, std::span<const model::Module> modules) {
  Decisions out = decide_untied(selection, modules);
  const auto head = std::ranges::find(modules, "lm_head", &model::Module::name);
  if (head != modules.end() && Blocks(selection, modules).has_tied_head())
    out.of_modules[static_cast<std::size_t>(head - modules.begin())] = 0;
  return out;
}

Decisions decide_own(const Selection& selection, std::span<const ir::Scheme> schemes,
                     std::span<const model::Module> modules) {
  Decisions out = decide_by_rules(selection, modules);
  apply_shapes(out, unfit_layers(selection, schemes, modules));
  return out;
}

// Layers that the path without a model always skips.
constexpr std::string_view kSkippedHead = R"(^(.*\.)?(lm_head|head|embed_out|output)$)";
constexpr std::string_view kSkippedRouter = R"(\.(gate|shared_expert_gate|router)$)";
constexpr std::string_view kSkippedTower = "visual|vision|audio";

bool is_skipped(std::string_view entry) {
  return entry == kSkippedHead || entry == kSkippedRouter || entry == kSkippedTower;
}

Decisions decide_without_model(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                               std::span<const model::Module> modules) {
  const auto layers = names_of_layers(modules);
  const auto kind_of = [&](const Entry& entry) {
    const bool skipped = is_skipped(entry.text);
    const bool ignored = selection.rules[entry.place].kind == Rule::Kind::excludes;
    const bool exact = layers.contains(entry.text);
    return skipped   ? kBuiltInKey
           : ignored ? (exact ? kIgnoredLayerKey : kIgnoredPatternKey)
           : exact   ? kLayerKey
                     : kPatternKey;
  };
  const auto entries = ranked(kModelFreeReader, kModelFreeRanks, selection, kind_of);
  Decisions out = quantizers::decide(kModelFreeReader, entries, quantizers::plain_modules(modules), selection);
  leave_other_modules(out, modules);
  return out;
}

// Returns the entries of patterns that match a layer in a block. They decide only about such layers.
std::set<std::uint32_t> used_in_blocks(const std::vector<Entry>& entries,
                                       const std::vector<selectors::Module>& layers) {
  std::vector<selectors::Module> inside;
  for (const selectors::Module& layer : layers) {
    if (layer.facts.has(Fact::in_block)) inside.push_back(layer);
  }
  base::Budget budget = selectors::assignment_budget();
  const std::vector<bool> matched = selectors::matched_entries(kLoaderReader, entries, inside, budget);
  std::set<std::uint32_t> out;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    if (matched[at]) out.insert(entries[at].place);
  }
  return out;
}

// A full name decides about any layer. A pattern decides about layers outside of blocks only if it matches none inside
// (docs/semantics/autoround.md#c1-4).
Decisions decide_saved(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                       std::span<const model::Module> modules) {
  const auto layers = names_of_layers(modules);
  const auto kind_of = [&](const Entry& entry) {
    const std::size_t next = entry.place + std::size_t{1};
    const bool empty = next < selection.rules.size() && selection.rules[next].entry == kEmptyRule;
    return layers.contains(entry.text) ? kLayerKey : empty ? kUnusedKey : kPatternKey;
  };
  std::vector<Entry> entries = ranked(kLoaderReader, kLoaderRanks, selection, kind_of);
  const Blocks blocks(selection, modules);
  const std::vector<bool> in_block = blocks.by_prefix();
  const std::vector<selectors::Module> asked = layers_in(modules, in_block);
  Decisions out = quantizers::decide(kLoaderReader, entries, asked, selection);
  const std::set<std::uint32_t> inside = used_in_blocks(entries, asked);
  std::erase_if(entries,
                [&](const Entry& entry) { return inside.contains(entry.place) && !layers.contains(entry.text); });
  const Decisions outside = quantizers::decide(kLoaderReader, entries, asked, selection);
  const auto first = static_cast<std::uint32_t>(out.entries.size());
  std::ranges::copy(outside.entries, std::back_inserter(out.entries));
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!in_block[at]) out.of_modules[at] = first + outside.of_modules[at];
    if (in_block[at] && !blocks.is_part(modules[at].name)) out.of_modules[at] = 0;
  }
  out.complete = out.complete && outside.complete;
  leave_other_modules(out, modules);
  return out;
}

// --- vLLM and SGLang ----------------------------------------------------------------------------------------

// Returns a number for the settings of a layer in 16 bits.
std::uint32_t code_of_plain(const Fields& fields) {
  const std::int64_t group = std::clamp<std::int64_t>(fields.group_size.value_or(Group{-1, {}}).size, -1, 1 << 20);
  return static_cast<std::uint32_t>(2 * (group + 1) + (fields.sym.value_or(true) ? 1 : 0));
}

bool is_runtime_pattern(std::string_view key) { return key.find_first_of("*+?^$()[]{}|\\") != std::string_view::npos; }

// Looks up layers of a runtime: the own name, experts, the parts, else the own name. vLLM uses the parts only if a key
// matches one of them. SGLang matches patterns with whole names. Settings that an entry lacks come from the base, or,
// outside of blocks, from fixed defaults, unless the entry is the full name of the layer.
class RuntimeLookup {
 public:
  RuntimeLookup(const Selection& selection, std::span<const model::Module> layers)
      : selection_(selection), layers_(layers), sglang_(selection.language == &kSglang) {
    for (const Rule& rule : selection.rules) {
      if (rule.kind == Rule::Kind::leaves) continue;
      keys_.push_back(rule.entry);
      known_keys_.insert(rule.entry);
    }
    const std::vector<bool> named = Blocks(selection, layers).by_prefix();
    const bool has_names = Blocks(selection, layers).has_names();
    const std::vector<selectors::Module> modules = quantizers::runtime_modules(layers);
    for (std::size_t at = 0; at < layers.size(); ++at)
      add(modules[at], has_names ? named[at] : !modules[at].facts.has(Fact::head));
    const auto kind_of = [](const Entry& entry) { return is_runtime_pattern(entry.text) ? kPatternKey : kLayerKey; };
    const std::span<const Rank> ranks = sglang_ ? std::span<const Rank>(kSglangRanks) : kVllmRanks;
    decisions_ = quantizers::decide(kLoaderReader, ranked(kLoaderReader, ranks, selection, kind_of), asked_, selection);
    apply_defaults();
  }

  // Returns the decisions about the names that are looked up for a layer.
  [[nodiscard]] std::vector<std::uint32_t> answers(std::size_t layer) const {
    const Range& range = ranges_[layer];
    const auto& own = decisions_.of_modules;
    const selectors::Module& name = asked_[range.own];
    if (known_keys_.contains(name.name)) return {own[range.own]};
    std::vector<std::uint32_t> out;
    for (std::size_t at = range.experts; at < range.end; ++at) out.push_back(own[at]);
    if (!out.empty()) return out;
    bool any = sglang_ && !keys_.empty() && range.own + 1 < range.experts;
    for (std::size_t at = range.own + 1; at < range.experts; ++at) {
      out.push_back(own[at]);
      any = any || decisions_.entries[own[at]].rule;
    }
    return any ? out : std::vector<std::uint32_t>{own[range.own]};
  }

  [[nodiscard]] Decisions run() {
    Decisions out = decisions_;
    out.of_modules.clear();
    for (std::size_t at = 0; at < layers_.size(); ++at) out.of_modules.push_back(answers(at).front());
    return out;
  }

  // Runtimes also compare the groups and symmetry of parts in 16 bits.
  [[nodiscard]] std::optional<UnequalParts> unequal() const {
    for (std::size_t at = 0; at < layers_.size(); ++at) {
      const auto all = answers(at);
      for (const std::uint32_t answer : all) {
        const auto& one = decisions_.entries[answer];
        const auto& first = decisions_.entries[all.front()];
        if (plain(one) != plain(first) || one.scheme != first.scheme)
          return UnequalParts{layers_[at].name, one.rule ? one.rule : first.rule};
      }
    }
    return std::nullopt;
  }

 private:
  struct Range {
    std::size_t own = 0;
    std::size_t experts = 0;  // after the parts
    std::size_t end = 0;
  };

  static bool plain(const Decisions::Decision& decision) { return decision.kind != Rule::Kind::assigns; }

  // Returns the decision of an entry outside of blocks, where it does not change the settings of the base.
  [[nodiscard]] Decisions::Decision outside(Decisions::Decision decision) const {
    if (!decision.rule) decision.scheme = code_of_plain({});
    const std::size_t next = decision.rule ? *decision.rule + 1 : selection_.rules.size();
    if (next >= selection_.rules.size() || selection_.rules[next].kind != Rule::Kind::leaves) return decision;
    const Rule& defaults = selection_.rules[next];
    if (defaults.entry == kOutsidePlainRule) decision.kind = Rule::Kind::excludes;
    if (defaults.entry == kOutsidePlainRule || defaults.entry == kOutsideRule) decision.scheme = defaults.scheme;
    return decision;
  }

  void apply_defaults() {
    for (Decisions::Decision& decision : decisions_.entries) {
      if (decision.rule && plain(decision)) decision.scheme = selection_.rules[*decision.rule].scheme;
    }
    std::map<std::uint32_t, std::uint32_t> known;
    for (std::size_t at = 0; at < asked_.size(); ++at) {
      if (asked_[at].facts.has(Fact::in_block)) continue;
      const auto [found, added] = known.try_emplace(decisions_.of_modules[at], decisions_.of_modules[at]);
      if (added) {
        Decisions::Decision changed = outside(decisions_.entries[found->first]);
        if (changed != decisions_.entries[found->first]) {
          found->second = static_cast<std::uint32_t>(decisions_.entries.size());
          decisions_.entries.push_back(std::move(changed));
        }
      }
      decisions_.of_modules[at] = found->second;
    }
  }

  void add(const selectors::Module& layer, bool in_block) {
    Range range{asked_.size(), 0, 0};
    ask(layer.name, in_block || known_keys_.contains(layer.name));
    for (const std::string& part : layer.parts) ask(part, in_block);
    range.experts = asked_.size();
    for (std::size_t at = 0; layer.facts.has(Fact::experts) && at < keys_.size(); ++at) {
      if (keys_[at].starts_with(layer.name)) ask(keys_[at], in_block);
    }
    range.end = asked_.size();
    ranges_.push_back(range);
  }

  void ask(const std::string& name, bool in_block) {
    asked_.push_back({name, "Linear", {}});
    if (in_block) asked_.back().facts.add(Fact::in_block);
  }

  const Selection& selection_;
  std::span<const model::Module> layers_;
  bool sglang_;
  std::vector<std::string> keys_;
  std::unordered_set<std::string_view> known_keys_;
  std::vector<selectors::Module> asked_;
  std::vector<Range> ranges_;  // by layer
  Decisions decisions_;
};

Decisions decide_runtime(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                         std::span<const model::Module> layers) {
  return RuntimeLookup(selection, layers).run();
}

// --- lowering -----------------------------------------------------------------------------------------------

bool is_runtime(const ir::Language& language) { return &language == &kVllm || &language == &kSglang; }

void add_rule(ir::Assign& out, std::string entry, source::Span span, const Fields& fields, bool unknown) {
  ir::Scheme scheme = scheme_of(fields, is_runtime(*out.selection.language) ? kMostBitsInVllm : kMostBits);
  ir::Rule rule{std::move(entry), span, Rule::Kind::excludes, 0, unknown};
  if (!scheme.is_empty()) {
    rule.kind = Rule::Kind::assigns;
    rule.scheme = quantizers::add_scheme(out.schemes, std::move(scheme));
  } else if (is_runtime(*out.selection.language)) {
    rule.scheme = code_of_plain(fields);
  }
  out.selection.rules.push_back(std::move(rule));
}

bool is_empty(const Fields& fields) { return fields == Fields(); }

// Adds the scheme that an entry means to a runtime outside of blocks, if it is another one than inside.
void add_outside_rule(ir::Assign& out, const Fields& base, const Fields& fields) {
  Fields defaults = base;
  defaults.bits = 16;
  defaults.group_size = Group{-1, {}};
  defaults.sym = true;
  const Fields settings = merged(defaults, fields);
  ir::Scheme scheme = settings.bits > kMostBitsInVllm ? ir::Scheme() : scheme_of(settings, kMostBitsInVllm);
  const ir::Rule& inside = out.selection.rules.back();
  const bool same = inside.kind == Rule::Kind::assigns ? scheme == out.schemes[inside.scheme]
                                                       : code_of_plain(settings) == inside.scheme;
  if (same) return;
  ir::Rule rule{std::string(kOutsidePlainRule), {}, Rule::Kind::leaves, code_of_plain(settings)};
  if (!scheme.is_empty()) {
    rule.entry = kOutsideRule;
    rule.scheme = quantizers::add_scheme(out.schemes, std::move(scheme));
  }
  out.selection.rules.push_back(std::move(rule));
}

// Adds the names of `modules_in_block_to_quantize`: the other layers of blocks stay in 16 bits.
void add_parts(ir::Assign& out, const Saved& saved) {
  for (const std::string& part : saved.parts)
    out.selection.rules.push_back({std::string(kPartRule) + part, saved.span, Rule::Kind::leaves, 0});
}

void set_base(ir::Assign& out, const Fields& base) {
  ir::Scheme scheme = scheme_of(base);
  if (!scheme.is_empty()) out.selection.otherwise = quantizers::add_scheme(out.schemes, std::move(scheme));
}

ir::Assign start(const Arguments& arguments, const ir::Language& language) {
  ir::Assign out;
  out.method = {"auto-round", "AutoRound", {}};
  out.selection.language = &language;
  set_base(out, arguments.base);
  return out;
}

}  // namespace

ir::Assign lowered(const Arguments& arguments) {
  ir::Assign out = start(arguments, kOwn);
  out.selection.unknown = arguments.unknown;
  for (const Block& block : arguments.blocks)
    out.selection.rules.push_back({block.text + (block.exact ? "$" : ""), block.span, Rule::Kind::leaves, 0});
  if (arguments.quantizes_head)
    out.selection.rules.push_back({std::string(kHeadRule), arguments.span, Rule::Kind::leaves, 0});
  if (arguments.nontext)
    out.selection.rules.push_back({std::string(kNontextRule), arguments.span, Rule::Kind::leaves, 0});
  if (arguments.tied_head)
    out.selection.rules.push_back({std::string(kTiedRule), arguments.span, Rule::Kind::leaves, 0});
  for (const LayerSetting& entry : arguments.entries) {
    add_rule(out, entry.key, entry.span, entry.ignored ? plain_fields() : merged(arguments.base, entry.fields),
             entry.unknown || arguments.unknown);
  }
  return out;
}

static std::string with_period(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  const bool number =
      dot != std::string::npos && dot + 1 < key.size() && std::ranges::all_of(key.substr(dot + 1), base::is_digit);
  return number ? key + '.' : key;
}

ir::Assign lowered_without_model(const Arguments& arguments) {
  ir::Assign out = start(arguments, kModelFree);
  out.selection.unknown = arguments.unknown;
  if (!arguments.quantizes_head) out.selection.rules.push_back({std::string(kSkippedHead), {}, Rule::Kind::excludes});
  out.selection.rules.push_back({std::string(kSkippedRouter), {}, Rule::Kind::excludes});
  if (!arguments.nontext) out.selection.rules.push_back({std::string(kSkippedTower), {}, Rule::Kind::excludes});
  for (const LayerSetting& entry : arguments.entries) {
    add_rule(out, with_period(entry.key), entry.span,
             entry.ignored ? plain_fields() : merged(arguments.base, entry.fields), entry.unknown);
  }
  return out;
}

std::set<std::uint32_t> rules_for(const ir::Assign& assign, const std::vector<model::Module>& modules,
                                  const std::vector<std::string>& layers) {
  const Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, modules);
  std::set<std::uint32_t> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const auto& rule = decisions.entries[decisions.of_modules[at]].rule;
    if (rule && std::ranges::find(layers, modules[at].name) != layers.end()) out.insert(*rule);
  }
  return out;
}

std::vector<SkippedLayer> skipped_without_model(const ir::Assign& own, const ir::Assign& free,
                                                const std::vector<model::Module>& modules) {
  const Decisions usual = own.selection.language->decide(own.selection, own.schemes, modules);
  const Decisions other = free.selection.language->decide(free.selection, free.schemes, modules);
  std::vector<SkippedLayer> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const auto& decision = usual.entries[usual.of_modules[at]];
    const auto& skips = other.entries[other.of_modules[at]];
    const bool quantized = decision.rule && decision.kind == Rule::Kind::assigns;
    if (quantized && skips.rule && is_skipped(free.selection.rules[*skips.rule].entry))
      out.push_back({*decision.rule, modules[at].name});
  }
  return out;
}

ir::Assign lowered(const Saved& saved, const ir::Language& language) {
  ir::Assign out;
  out.method = {"auto-round", "AutoRound", {}};
  out.selection.language = &language;
  set_base(out, saved.base);
  for (std::size_t at = 0; saved.blocks && at < saved.blocks->size(); ++at) {
    out.selection.rules.push_back({(*saved.blocks)[at].text, (*saved.blocks)[at].span, Rule::Kind::leaves, 0});
  }
  for (const LayerSetting& entry : saved.entries) {
    add_rule(out, entry.key, entry.span, merged(saved.base, entry.fields), entry.unknown);
    if (is_runtime(language)) {
      add_outside_rule(out, saved.base, entry.fields);
    } else if (is_empty(entry.fields)) {
      out.selection.rules.push_back({std::string(kEmptyRule), {}, Rule::Kind::leaves, 0});
    }
  }
  if (&language == &kLoader) add_parts(out, saved);
  return out;
}

// --- the saved form -----------------------------------------------------------------------------------------

// Returns the fields that differ from the base.
static Fields differences(const Fields& fields, const Fields& base) {
  Fields out;
  if (fields.bits != base.bits) out.bits = fields.bits;
  if (fields.group_size != base.group_size) out.group_size = fields.group_size;
  if (fields.sym != base.sym) out.sym = fields.sym;
  if (fields.data_type != base.data_type) out.data_type = fields.data_type;
  const bool inputs = fields.act_bits.value_or(16) < 16;
  if (inputs && fields.act_bits != base.act_bits) out.act_bits = fields.act_bits;
  return out;
}

// Writes what differs from the base: layers by name, then patterns as AutoRound compiles them.
class SavedWriter {
 public:
  SavedWriter(const Arguments& arguments, const std::vector<model::Module>& modules)
      : arguments_(arguments), modules_(modules), assign_(lowered(arguments)) {}

  Saved run() {
    out_.base = arguments_.base;
    out_.span = arguments_.span;
    const Decisions rules = decide_by_rules(assign_.selection, modules_);
    const std::vector<bool> unfit = unfit_layers(assign_.selection, assign_.schemes, modules_);
    lost_ = lost(rules, unfit);
    const Blocks blocks(assign_.selection, modules_);
    const std::vector<bool> named = blocks.by_prefix();
    std::vector<bool> inside = blocks.by_search();
    for (std::size_t at = 0; at < modules_.size(); ++at) inside[at] = inside[at] && modules_[at].name != "lm_head";
    find_rules_in_blocks(rules, inside);
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const bool written = inside[at] || (blocks.has_names() && named[at]);
      add_layer(rules.entries[rules.of_modules[at]], modules_[at], unfit[at], written);
    }
    add_patterns();
    add_blocks();
    const bool symmetric = arguments_.base.sym.value_or(true);
    const bool four = arguments_.base.bits == 4 && only_four_;
    out_.packing_format = symmetric ? "auto_round:auto_gptq" : four ? "auto_round:auto_awq" : "auto_round";
    return std::move(out_);
  }

 private:
  // Returns the fields of the entry of a rule.
  [[nodiscard]] Fields fields_of_rule(std::uint32_t rule) const {
    const std::size_t blocks = assign_.selection.rules.size() - arguments_.entries.size();
    const LayerSetting& entry = arguments_.entries[rule - blocks];
    Fields out = merged(arguments_.base, entry.fields);
    return lost_.contains(rule) ? made_plain(out) : out;
  }

  [[nodiscard]] static Fields made_plain(Fields fields) {
    fields.bits = 16;
    fields.data_type = "fp";
    return fields;
  }

  // All layers of a pattern share one mapping, so they count as layers in blocks if one of them is.
  void find_rules_in_blocks(const Decisions& rules, const std::vector<bool>& inside) {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const auto& rule = rules.entries[rules.of_modules[at]].rule;
      if (inside[at] && rule && quantizers::is_linear(modules_[at])) in_blocks_.insert(*rule);
    }
  }

  // Layers outside of blocks are written completely if they are quantized, and not at all otherwise.
  void add_layer(const Decisions::Decision& decision, const model::Module& module, bool unfit, bool written) {
    const bool reached = decision.rule || decision.kind == Rule::Kind::assigns || (unfit && written);
    if (!reached || !quantizers::is_linear(module)) return;
    Fields fields = decision.rule ? fields_of_rule(*decision.rule) : arguments_.base;
    if (unfit) fields = made_plain(fields);
    only_four_ = only_four_ && (fields.bits == 4 || fields.bits.value_or(16) >= 16);
    const bool differs = written || (decision.rule && in_blocks_.contains(*decision.rule));
    const Fields changes = differs ? differences(fields, arguments_.base) : fields.is_plain() ? Fields() : fields;
    if (!is_empty(changes)) out_.entries.push_back({module.name, arguments_.span, changes});
  }

  // Patterns are written with the values of the user, also if their layers stay in 16 bits.
  void add_patterns() {
    const auto layers = names_of_layers(modules_);
    for (const LayerSetting& entry : arguments_.entries) {
      const Fields changes = differences(merged(arguments_.base, entry.fields), arguments_.base);
      if (!layers.contains(entry.key) && !is_empty(changes))
        out_.entries.push_back({rewritten(entry.key), entry.span, changes});
    }
  }

  // The names of the argument as written, or the lists that contain the blocks.
  void add_blocks() {
    out_.blocks.emplace();
    for (const Block& block : arguments_.blocks) out_.blocks->push_back({block.text, block.span, false});
    out_.nested_blocks = std::ranges::any_of(arguments_.blocks, &Block::exact);
    if (!arguments_.blocks.empty()) return;
    const Blocks blocks(assign_.selection, modules_);
    const std::vector<bool> inside = blocks.by_search();
    std::set<std::string> known;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const std::string_view block = blocks.usual_block(modules_[at].name);
      if (!inside[at] || block.empty()) continue;
      std::string list(block.substr(0, block.rfind('.')));
      if (known.insert(list).second) out_.blocks->push_back({std::move(list), arguments_.span, false});
    }
  }

  const Arguments& arguments_;
  const std::vector<model::Module>& modules_;
  ir::Assign assign_;
  std::set<std::uint32_t> lost_;
  std::set<std::uint32_t> in_blocks_;  // rules with a layer in a block
  Saved out_;
  bool only_four_ = true;
};

Saved saved_form(const Arguments& arguments, const std::vector<model::Module>& modules) {
  return SavedWriter(arguments, modules).run();
}

std::vector<LostRule> lost_rules(const ir::Assign& assign, const std::vector<model::Module>& modules) {
  const Decisions decisions = decide_by_rules(assign.selection, modules);
  const std::vector<bool> unfit = unfit_layers(assign.selection, assign.schemes, modules);
  std::map<std::uint32_t, LostRule> found;
  for (const std::uint32_t rule : lost(decisions, unfit)) found[rule].rule = rule;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const auto& rule = decisions.entries[decisions.of_modules[at]].rule;
    const auto row = rule ? found.find(*rule) : found.end();
    if (row == found.end()) continue;
    ++row->second.layers;
    if (!unfit[at]) row->second.kept.push_back(modules[at].name);
    if (unfit[at] && row->second.layer.empty()) row->second.layer = modules[at].name;
  }
  std::vector<LostRule> out;
  for (auto& [number, row] : found) {
    if (row.layers > 1) out.push_back(std::move(row));
  }
  return out;
}

bool resets_tied_head(const ir::Assign& assign, const std::vector<model::Module>& modules) {
  const auto head = std::ranges::find(modules, "lm_head", &model::Module::name);
  if (head == modules.end() || !Blocks(assign.selection, modules).has_tied_head()) return false;
  const Decisions decisions = decide_untied(assign.selection, modules);
  const auto at = static_cast<std::size_t>(head - modules.begin());
  return decisions.entries[decisions.of_modules[at]].kind == Rule::Kind::assigns;
}

bool has_blocks(const ir::Assign& assign, const std::vector<model::Module>& modules) {
  const Blocks blocks(assign.selection, modules);
  if (!blocks.has_names()) return true;
  const std::vector<bool> inside = blocks.by_search();
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (inside[at] && modules[at].name != "lm_head") return true;
  }
  return false;
}

std::optional<UnequalParts> unequal_parts(const ir::Assign& assign, const std::vector<model::Module>& layers) {
  return RuntimeLookup(assign.selection, layers).unequal();
}

constinit const ir::Language kOwn{.name{"AutoRound"}, .decide = decide_own, .reader = &kOwnReader};
constinit const ir::Language kModelFree{
    .name{"AutoRound without a model"}, .decide = decide_without_model, .reader = &kModelFreeReader};
constinit const ir::Language kLoader{.name{"AutoRound, saved"}, .decide = decide_saved, .reader = &kLoaderReader};
constinit const ir::Language kSglang{.name{"SGLang AutoRound"}, .decide = decide_runtime, .reader = &kLoaderReader};
constinit const ir::Language kVllm{.name{"vLLM AutoRound"}, .decide = decide_runtime, .reader = &kLoaderReader};

}  // namespace sparsecfg::dialect::autoround
