#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

#include "diag/rule.h"
#include "dialect/class_of_numbers.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/languages.h"
#include "dialect/gptqmodel/read.h"
#include "dialect/gptqmodel/table.h"
#include "dialect/quantizers/unmatched.h"
#include "model/selectors/assign.h"
#include "model/selectors/entries.h"

// Settings of which GPTQModel silently loses a part.
namespace sparsecfg::dialect::gptqmodel {

DIAGNOSTIC(GQ201, gptq_awq_ignores_entry, silent_error, (Text, Text),
           "{} quantizes with the base values, not with those of `{}`",
           "The entry is only written to the file. Programs that load the model use its values, so they read the "
           "weights with wrong sizes.",
           "delete the entry, or exclude its layers with `-:`")

DIAGNOSTIC(GQ202, gptq_head_saved_differently, silent_error, (),
           "`lm_head` is quantized with the base values but saved as 8 bits",
           "If `dynamic` has no entry for `lm_head`, GPTQModel adds one with 8 bits in groups of 32 after it has "
           "looked up the layer. The file states other values than those of the weights.",
           "add an entry for `lm_head`, such as `\"lm_head\": {{\"bits\": 8, \"group_size\": 32}}`")

DIAGNOSTIC(GQ203, gptq_head_default, silent_warning, (), "`lm_head` is quantized with 8 bits in groups of 32",
           "Without `dynamic`, GPTQModel does not use the base values for `lm_head`.",
           "add `dynamic` with an entry for `lm_head`, such as `dynamic={{\"lm_head\": {{\"bits\": 4}}}}`")

DIAGNOSTIC(GQ204, gptq_entry_changes_nothing, silent_warning, (Text),
           "the entry `{}` has no values, so it changes nothing",
           "Only a pattern that starts with `-:` excludes layers. An empty entry for another pattern keeps the base "
           "values.",
           "write `-:{0}` to exclude the layers, or add values")

DIAGNOSTIC(
    GQ205, gptq_pattern_matches_nothing, silent_warning, (Text), "`{}` matches no layer that GPTQModel quantizes",
    "A pattern must match a name from its start, unless its first character is not fixed or is that of the name. "
    "Names contain the path of the layer, such as `model.layers.0.self_attn.q_proj`, and end without `.weight`. "
    "GPTQModel ignores other patterns.",
    "write `.*` before the last part of the name, such as `.*q_proj`")

// Returns the modules that GPTQModel quantizes if no entry excludes them.
static std::vector<selectors::Module> quantized_modules(const std::vector<model::Module>& modules, bool head) {
  std::vector<selectors::Module> out = modules_with_facts(modules, head);
  std::erase_if(out, [](const selectors::Module& module) { return !module.facts.has(selectors::Fact::quantizable); });
  return out;
}

// Returns true if an entry matches modules that GPTQModel does not quantize, such as the output head.
static bool excludes_other_modules(const std::string& entry, const std::vector<model::Module>& modules) {
  std::vector<selectors::Module> others = modules_with_facts(modules, true);
  for (selectors::Module& module : others) module.facts.add(selectors::Fact::quantizable);
  selectors::Entry written{entry};
  if (selectors::prepare(*kOwn.reader, written)) return false;
  base::Budget budget = selectors::suggestion_budget();
  const auto matched = selectors::matched_entries(*kOwn.reader, std::span(&written, 1), others, budget);
  return !matched.empty() && matched.front();
}

// Returns the number of layers that an entry excludes.
static std::size_t count_excluded(const std::string& entry, bool head, const std::vector<model::Module>& modules) {
  const ir::Language& language = head ? kOwnWithHead : kOwn;
  const ir::Selection selection{&language, {{entry, {}, ir::Rule::Kind::excludes}}, {}};
  const ir::Decisions decisions = language.decide(selection, {}, modules);
  return static_cast<std::size_t>(std::ranges::count_if(
      decisions.of_modules, [&](std::uint32_t at) { return decisions.entries[at].rule.has_value(); }));
}

static bool matches_head(const Entry& entry) {
  selectors::Entry one{entry.pattern};
  const model::Module head{"lm_head", "Linear"};
  ir::Selection selection{&kOwnWithHead, {{entry.pattern, entry.span}}, {}};
  const ir::Scheme scheme;
  const ir::Decisions decisions = kOwnWithHead.decide(selection, std::span(&scheme, 1), std::span(&head, 1));
  return !decisions.of_modules.empty() && decisions.entries[decisions.of_modules[0]].rule.has_value();
}

// Returns true if the weights of two layers have other sizes.
static bool differ(const Layer& one, const Layer& other) {
  return one.bits != other.bits || one.group_size != other.group_size || one.symmetric != other.symmetric;
}

// Returns the entry that gives the head the values of the base.
static std::string entry_for_head(const Layer& base) {
  return fmt::format(R"("lm_head": {{"bits": {}, "group_size": {}, "sym": {}}})", base.bits, base.group_size,
                     base.symmetric ? "True" : "False");
}

// Returns the place of the argument that decides how the weights of other layers are stored.
static source::Span place_of_bits(const Config& config) {
  const source::Value* bits = config.values.find("bits");
  return bits == nullptr ? source::Span() : bits->span;
}

// Reports a head that has other values than the base.
static void report_head_default(const Context& context, const Config& config, source::Span place) {
  const std::string entries = fmt::format("{{{}}}", entry_for_head(config.base));
  const source::Value* empty = config.values.find("dynamic");
  auto& report = context.sink.report(diag::gptq_head_default, place);
  if (const source::Span bits = place_of_bits(config); !bits.empty())
    report.with_label(bits, "is not used for `lm_head`");
  report.with_help(fmt::format("{} `dynamic={}`", empty == nullptr ? "add" : "write", entries));
}

static void check_head(const Context& context, const Config& config, const ReadOptions& options) {
  const source::Value* head = config.values.find("lm_head");
  if (!config.lm_head || head == nullptr || config.saved || config.unknown) return;
  if (std::ranges::any_of(config.dynamic, matches_head)) return;
  if (config.has_dynamic && quantizers::has_defect(kDefects, "GQ202", kReaderOptions[0], options)) {
    context.sink.report(diag::gptq_head_saved_differently, head->span)
        .with_help(fmt::format("add `{}` to `dynamic`", entry_for_head(config.base)));
  } else if (!config.has_dynamic && differ(config.base, kHeadLayer)) {
    report_head_default(context, config, head->span);
  }
}

bool check_tied_head(const Context& context, const Config& config, const ReadOptions& options) {
  const source::Value* head = config.values.find("lm_head");
  const bool quantized = config.lm_head && head != nullptr && !config.saved && !config.unknown;
  if (!quantized || options.tied_layer.empty() || options.modules == nullptr) return true;
  const auto embedding = std::ranges::find(*options.modules, "Embedding", &model::Module::type);
  context.sink
      .report(diag::tied_head, head->span, "lm_head", options.tied_layer,
              embedding == options.modules->end() ? std::string("embed_tokens") : embedding->name)
      .with_severity(diag::Severity::error)
      .with_caret("`quantize` raises a NotImplementedError")
      .with_help("delete `lm_head: true`, and the entry of `dynamic` for the head if there is one");
  return false;
}

// Returns the entry that excludes the layers that an entry without values names, with the number of layers if the model
// is known. Empty if GPTQModel quantizes none of them.
static selectors::Meant excluding(const Entry& entry, const Config& config, const std::vector<model::Module>* modules) {
  selectors::Meant out;
  out.text = fmt::format("-:{}", without_mark(entry.pattern));
  if (modules == nullptr) return out;
  out.matches = count_excluded(out.text, config.lm_head, *modules);
  if (out.matches > 0) return out;
  const std::vector<selectors::Module> seen = quantized_modules(*modules, config.lm_head);
  ir::Rule rule;
  rule.entry = out.text;
  return quantizers::Suggestions(*kOwn.reader, seen).meant(rule).value_or(selectors::Meant());
}

static void check_entry(const Context& context, const Config& config, const Entry& entry,
                        const std::vector<model::Module>* modules) {
  const auto* values = entry.values.get<source::Map>();
  if (entry.is_negative() || entry.unknown || values == nullptr || !values->empty()) return;
  const selectors::Meant meant = excluding(entry, config, modules);
  auto& report = context.sink.report(diag::gptq_entry_changes_nothing, entry.span, entry.pattern);
  if (meant.text.empty()) {
    report.with_help(fmt::format("delete `{}`: GPTQModel quantizes no layer with this name", entry.pattern));
    return;
  }
  report
      .with_help(fmt::format("write `{}` to exclude {}, or add values such as `bits: 8`", meant.text,
                             meant.matches == 0 ? "the layers" : base::counted(meant.matches, "layer")))
      .with_fix(diag::Fix::unsafe().content(entry.span, meant.text));
}

// Returns the patterns that decide about a layer when the model is loaded.
static std::set<std::string> deciding_patterns(Config config, const std::vector<model::Module>& modules) {
  config.saved = true;
  const ir::Assign loaded = lowered(config);
  const ir::Decisions decisions = loaded.selection.language->decide(loaded.selection, loaded.schemes, modules);
  std::set<std::string> out;
  for (const std::uint32_t at : decisions.of_modules) {
    const auto& rule = decisions.entries[at].rule;
    if (rule) out.insert(loaded.selection.rules[*rule].entry);
  }
  return out;
}

// Returns an argument with the value of GPTQ in the form of the written value: `METHOD.GPTQ`, or `"gptq"`.
static std::string as_gptq(const Context& context, std::string_view name, const source::Value& written) {
  const std::string_view text = context.file.text(written.span);
  const std::size_t dot = text.rfind('.');
  const bool member = dot != text.npos && base::is_name_letter(text.front());
  return fmt::format("{}={}", name, member ? fmt::format("{}.GPTQ", text.substr(0, dot)) : "\"gptq\"");
}

// Returns the base with the only sizes of an entry, as arguments; empty if more than the groups differ.
static std::string as_base(const Layer& layer, const Layer& base) {
  const bool groups = layer.bits == base.bits && layer.symmetric == base.symmetric;
  return groups && layer.group_size > 0 ? fmt::format("group_size={}", layer.group_size) : std::string();
}

// Advises to quantize with GPTQ, which reads the entry, or to give all layers its groups.
static void advise_on_method(const Context& context, diag::Diagnostic& report, const Config& config,
                             const Entry& entry) {
  std::vector<std::string> edits;
  for (const std::string_view name : {"method", "quant_method", "format", "checkpoint_format"}) {
    const source::Value* value = config.values.find(name);
    if (value == nullptr || value->span.empty()) continue;
    edits.push_back(as_gptq(context, name, *value));
    if (name.ends_with("method"))
      report.with_label(value->span, fmt::format("{} reads no entry with values", name_of(config.method)));
  }
  const std::string base = as_base(layer_of(entry, config.base), config.base);
  const std::string other =
      base.empty() ? "delete the entry" : fmt::format("write `{}` for all layers, and delete the entry", base);
  if (edits.empty()) return;
  report.with_help(fmt::format("write `{}`, with which the entry decides, or {}", fmt::join(edits, ", "), other));
}

// Reports entries whose values AWQ only writes to the file, if the weights have other sizes than these values.
static void check_ignored_entries(const Context& context, const Config& config, const ReadOptions& options) {
  if (config.method != Method::awq || config.saved || config.dynamic.empty()) return;
  const auto deciding =
      options.modules == nullptr ? std::set<std::string>() : deciding_patterns(config, *options.modules);
  for (const Entry& entry : config.dynamic) {
    if (entry.is_negative() || entry.unknown || !differ(layer_of(entry, config.base), config.base)) continue;
    if (options.modules != nullptr && !deciding.contains(entry.pattern)) continue;
    auto& report = context.sink.report(diag::gptq_awq_ignores_entry, entry.span, name_of(config.method), entry.pattern);
    advise_on_method(context, report, config, entry);
  }
}

// Returns true for an entry without values, which another rule reports.
static bool changes_nothing(const Config& config, const ir::Rule& rule) {
  const auto entry = std::ranges::find(config.dynamic, rule.entry, &Entry::pattern);
  const auto* values = entry == config.dynamic.end() ? nullptr : entry->values.get<source::Map>();
  return values != nullptr && values->empty() && !entry->is_negative();
}

// Returns a help line for an entry whose nearest name is a module that GPTQModel does not quantize. Empty for others.
static std::string help_for_kept(const ir::Rule& rule, const std::vector<model::Module>& modules) {
  std::vector<selectors::Module> all = modules_with_facts(modules, true);
  for (selectors::Module& module : all) module.facts.add(selectors::Fact::quantizable);
  const auto meant = quantizers::Suggestions(*kOwn.reader, all).meant(rule);
  return meant ? fmt::format("delete `{}`: GPTQModel does not quantize what `{}` matches either", rule.entry,
                             base::printable(meant->text))
               : std::string();
}

// Reports entries that match no layer.
static void check_unmatched(const Context& context, const Config& config, const std::vector<model::Module>& modules,
                            ir::Assign& assign) {
  const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, modules);
  const std::vector<selectors::Module> seen = quantized_modules(modules, config.lm_head);
  quantizers::Suggestions suggestions(*kOwn.reader, seen);
  const std::vector<std::uint32_t> unmatched = quantizers::unmatched_rules(assign.selection, decisions);
  for (const std::uint32_t at : unmatched) {
    const ir::Rule& rule = assign.selection.rules[at];
    if (rule.entry == "lm_head" || changes_nothing(config, rule)) continue;
    auto& report = context.sink.report(diag::gptq_pattern_matches_nothing, rule.span, rule.entry);
    const bool excludes = rule.kind == ir::Rule::Kind::excludes;
    if (excludes && excludes_other_modules(rule.entry, modules)) {
      report.with_severity(diag::Severity::info)
          .with_help(fmt::format("delete `{}`: GPTQModel quantizes none of the modules that it matches", rule.entry));
      continue;
    }
    std::string help = suggestions.help_for(rule);
    if (help.empty() && excludes) help = help_for_kept(rule, modules);
    report.with_help(std::move(help));
  }
  quantizers::forget_places(assign.selection, unmatched);
}

void check_losses(const Context& context, const Config& config, const ReadOptions& options, ir::Assign& assign) {
  if (options.modules != nullptr && !config.unknown) check_unmatched(context, config, *options.modules, assign);
  check_head(context, config, options);
  check_ignored_entries(context, config, options);
  for (const Entry& entry : config.dynamic) check_entry(context, config, entry, options.modules.get());
}

bool check_patterns(const Context& context, const Config& config) {
  bool valid = true;
  for (const Entry& entry : config.dynamic) {
    selectors::Entry prepared{entry.pattern};
    const auto rejection = selectors::prepare(*kOwn.reader, prepared);
    if (entry.unknown || !rejection) continue;
    auto& report = context.sink.report(diag::regex_syntax, entry.span, rejection->detail);
    report.with_help(entry.pattern.find('*') != std::string::npos
                         ? fmt::format("write `.*` for any text: `{}`", base::pattern_meant_by(entry.pattern))
                         : "");
    advise_on_class(report, entry.pattern, entry.span);
    valid = false;
  }
  return valid;
}

}  // namespace sparsecfg::dialect::gptqmodel
