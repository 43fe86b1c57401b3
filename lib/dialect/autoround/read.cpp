#include "dialect/autoround/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/languages.h"
#include "dialect/autoround/table.h"
#include "dialect/class_of_numbers.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/selection.h"
#include "dialect/quantizers/unmatched.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "model/model_names.h"
#include "model/selectors/entries.h"

namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR201, autoround_no_block_matches, error, (Text), "no block matches `{}`",
           "AutoRound compares each item with the names of blocks, not of layers, and stops if no block is left.",
           "write the start of a block name, such as `model.layers.0`")

DIAGNOSTIC(AR202, autoround_pattern_loses_layers, silent_error, (Text, std::size_t, Text),
           "none of the {1} layers of `{0}` is quantized, because of `{2}`",
           "All layers of a pattern share one mapping. A layer with a side that is not a multiple of 32 changes this "
           "mapping to 16 bits, so the other layers lose their setting without a message.",
           "write a pattern that does not match `{2}`")

DIAGNOSTIC(AR203, autoround_loads_differently, silent_error, (Text), "the loader gives other settings to {}",
           "The file contains full names of layers that differ from the base, and the patterns. The loader applies the "
           "first pattern that matches, and compares block names by their start.",
           "write patterns that do not overlap, and block names that are no start of others")

DIAGNOSTIC(AR204, autoround_paths_differ, warning, (Text), "without a model, AutoRound gives other settings to {}",
           "With `iters=0` and `disable_opt_rtn=True`, AutoRound reads the checkpoint directly. This path applies the "
           "first pattern, prefers full names, and always skips routers and the output layer.",
           "pass `disable_model_free=True`, or write keys that do not overlap")

DIAGNOSTIC(AR207, autoround_skipped_without_model, silent_warning, (Text),
           "`{}` stays in 16 bits, because AutoRound does not load the model",
           "With `iters=0`, `disable_opt_rtn=True` and the format `auto_round`, AutoRound rounds the tensors of the "
           "checkpoint. This path skips routers, vision towers and the output layer, also if `layer_config` names "
           "them.",
           "delete `disable_opt_rtn`")

DIAGNOSTIC(AR205, autoround_key_matches_nothing, silent_warning, (Text, Text),
           "`{}` matches no layer: AutoRound searches for `{}`",
           "A key that is no full name becomes a pattern. In a key with special characters, each period that is not "
           "followed by `*` is escaped, even if it is already escaped.",
           "write a period as a plain `.`, and a part of the name such as `.*down_proj$`")

DIAGNOSTIC(AR206, autoround_tied_head, silent_warning, (),
           "`lm_head` stays in 16 bits, because it shares its weight with the embedding",
           "AutoRound cannot quantize an output layer with a tied weight. It prints a warning and resets the setting.",
           "remove the setting, or untie the weights first")

namespace {

ir::Recipe empty_recipe() {
  ir::Recipe out;
  out.dialect = "autoround";
  out.trains = false;
  out.has_rates = false;
  return out;
}

// Returns the settings of a layer for comparisons: those of modules that are not quantized are equal.
const ir::Scheme* scheme_of_module(const ir::Assign& assign, const ir::Decisions& decisions, std::size_t at) {
  const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
  const bool assigns =
      decision.reason != ir::Decisions::Reason::not_reached && decision.kind == ir::Rule::Kind::assigns;
  return assigns ? &assign.schemes[decision.scheme] : nullptr;
}

// Returns the modules for which two operations differ.
std::vector<std::string> different_modules(const ir::Assign& one, const ir::Assign& other,
                                           const std::vector<model::Module>& modules) {
  const ir::Decisions first = one.selection.language->decide(one.selection, one.schemes, modules);
  const ir::Decisions second = other.selection.language->decide(other.selection, other.schemes, modules);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const ir::Scheme* a = scheme_of_module(one, first, at);
    const ir::Scheme* b = scheme_of_module(other, second, at);
    const bool same = a == nullptr || b == nullptr ? a == b : a->weights == b->weights;
    if (!same) out.push_back(modules[at].name);
  }
  return out;
}

bool has_defect(const Context& context, std::string_view rule) {
  return quantizers::has_defect(kDefects, rule, kReaderOptions[0], context.options);
}

// Only the span of a call is known for layers; an entry has its own.
source::Span place_of(const Arguments& arguments, const ir::Assign& assign, std::uint32_t rule) {
  const source::Span span = assign.selection.rules[rule].span;
  return span.empty() ? arguments.span : span;
}

// Returns false after a report if AutoRound finds no block.
bool check_blocks(const Context& context, const Arguments& arguments) {
  if (context.modules == nullptr || arguments.blocks.empty() || arguments.unknown) return true;
  if (std::ranges::any_of(arguments.blocks, &Block::exact) || has_blocks(lowered(arguments), *context.modules))
    return true;
  context.sink.report(diag::autoround_no_block_matches, arguments.blocks.front().span, arguments.blocks.front().text);
  return false;
}

// Returns a key without the backslashes before periods, which AutoRound would escape again.
std::string without_escapes(std::string key) {
  for (std::size_t at = key.find("\\."); at != std::string::npos; at = key.find("\\.", at)) key.erase(at, 1);
  return key;
}

// Returns true for a key that names the output layer, which a tied weight keeps in 16 bits.
bool names_head(const ir::Rule& rule) { return std::string_view("lm_head").find(rule.entry) != std::string_view::npos; }

// Returns the keys of the rules that match modules, which are then no linear layers.
std::set<std::string> keys_of_other_modules(const ir::Selection& selection, const std::vector<std::uint32_t>& rules,
                                            const std::vector<model::Module>& modules) {
  std::vector<selectors::Entry> keys;
  for (const std::uint32_t at : rules) keys.push_back(selectors::Entry{selection.rules[at].entry});
  const auto entries = quantizers::prepared(*kOwn.reader, std::move(keys));
  base::Budget budget = selectors::assignment_budget();
  const auto matched = selectors::matched_entries(*kOwn.reader, entries, quantizers::plain_modules(modules), budget);
  std::set<std::string> out;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    if (matched[at]) out.insert(entries[at].text);
  }
  return out;
}

// Modules such as routers stay in 16 bits, which is the effect of an ignored layer.
void explain_other_module(diag::Diagnostic& report, const ir::Rule& rule) {
  report.with_help(
      fmt::format("delete `{}`: AutoRound quantizes none of the modules that it matches", base::printable(rule.entry)));
  if (rule.kind == ir::Rule::Kind::excludes) report.with_severity(diag::Severity::info);
}

void check_unmatched(const Context& context, ir::Assign& assign, bool tied) {
  const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, *context.modules);
  const std::vector<std::uint32_t> unmatched = quantizers::unmatched_rules(assign.selection, decisions);
  std::vector<model::Module> linear;
  std::ranges::copy_if(*context.modules, std::back_inserter(linear), quantizers::is_linear);
  const std::vector<selectors::Module> layers = quantizers::plain_modules(linear);
  quantizers::Suggestions suggestions(*kOwn.reader, layers);
  const std::set<std::string> others = keys_of_other_modules(assign.selection, unmatched, *context.modules);
  for (const std::uint32_t at : unmatched) {
    const ir::Rule& rule = assign.selection.rules[at];
    if (tied && names_head(rule)) continue;
    const std::string plain = without_escapes(rule.entry);
    const std::string nearest = suggestions.help_for(rule);
    auto& report =
        context.sink.report(diag::autoround_key_matches_nothing, rule.span, rule.entry, rewritten(rule.entry));
    report.with_help(plain == rule.entry ? nearest : fmt::format("write `{}`", plain));
    if (others.contains(rule.entry)) explain_other_module(report, rule);
  }
  quantizers::forget_places(assign.selection, unmatched);
}

}  // namespace

// Returns "`a`", or "`a` and 2 other layers".
static std::string first_of(const std::vector<std::string>& layers) {
  const std::string first = fmt::format("`{}`", base::printable(layers.front()));
  return layers.size() == 1 ? first : fmt::format("{} and {}", first, base::counted(layers.size() - 1, "other layer"));
}

// Reports the setting for an output layer that keeps 16 bits.
static void report_tied_head(const Context& context, const Arguments& arguments) {
  const auto found = std::ranges::find(arguments.entries, "lm_head", &LayerSetting::key);
  const bool entry = found != arguments.entries.end();
  const source::Span place = entry ? found->span : arguments.head.empty() ? arguments.span : arguments.head;
  context.sink.report(diag::autoround_tied_head, place)
      .with_help(fmt::format("delete {}, or untie the weights first", !entry ? "`quant_lm_head`"
                                                                      : arguments.head.empty()
                                                                          ? "this entry"
                                                                          : "this entry and `quant_lm_head`"));
}

// Returns true if AutoRound writes its own form. Floats and quantized inputs are written in forms of other programs.
static bool is_saved_in_own_form(const Arguments& arguments) {
  return !arguments.exported && arguments.base.data_type.value_or("int") == "int" &&
         arguments.base.act_bits.value_or(16) >= 16;
}

// Returns the names of the lists of blocks that contain layers, as one string with commas.
static std::string lists_with(const std::vector<std::string>& layers) {
  std::vector<std::string> lists;
  for (const std::string& layer : layers) {
    const auto digit = std::ranges::adjacent_find(layer, [](char a, char b) { return a == '.' && base::is_digit(b); });
    std::string list(layer.begin(), digit);
    if (digit != layer.end() && std::ranges::find(lists, list) == lists.end()) lists.push_back(std::move(list));
  }
  return fmt::format("{}", fmt::join(lists, ","));
}

// Reports layers that the loader of AutoRound reads differently. Without keys, the names of blocks are the cause.
static void report_loaded(const Context& context, const Arguments& arguments, const std::vector<std::string>& layers) {
  const std::string lists = lists_with(layers);
  const bool by_blocks = !arguments.blocks.empty() && arguments.entries.empty() && !lists.empty();
  auto& report =
      context.sink.report(diag::autoround_loads_differently,
                          by_blocks ? arguments.blocks.front().span : arguments.layer_config, first_of(layers));
  if (by_blocks)
    report.with_help(
        fmt::format("write `to_quant_block_names: \"{}\"`: the loader compares the start of names", lists));
}

// Returns the key for the layers of a lost key that can be quantized, such as `attn.(in_proj|out_proj)`; empty if
// another layer would match it, or if the layers have no common parent.
static std::string key_for_kept(const LostRule& lost, const std::string& entry, const ir::Assign& assign,
                                const std::vector<model::Module>& modules) {
  std::set<std::string> parts;
  for (const std::string& layer : lost.kept) {
    const std::size_t at = layer.rfind(entry + ".");
    if (at == std::string::npos) return {};
    parts.insert(layer.substr(at + entry.size() + 1));
  }
  if (parts.empty()) return {};
  std::set<std::string> last;  // the layers of experts differ only in numbers
  for (const std::string& part : parts) last.emplace(base::last_part(part));
  const std::string key = parts.size() == 1            ? fmt::format("{}.{}", entry, *parts.begin())
                          : last.size() < parts.size() ? fmt::format("{}.*({})", entry, fmt::join(last, "|"))
                                                       : fmt::format("{}.({})", entry, fmt::join(parts, "|"));
  ir::Assign edited = assign;
  edited.selection.rules[lost.rule].entry = key;
  const auto still = lost_rules(edited, modules);
  const bool lost_again = std::ranges::find(still, lost.rule, &LostRule::rule) != still.end();
  return lost_again ? std::string() : key;
}

// Returns true if AutoRound certainly selects the path without a model.
static bool has_no_model(const Arguments& arguments) { return arguments.model_free && arguments.names_model; }

// Returns the operation of the path without a model, with the method of the normal one. An entry that a report of the
// normal path has named has no place.
static ir::Assign without_model(const Arguments& arguments, ir::Assign own) {
  ir::Assign out = lowered_without_model(arguments);
  out.method = std::move(own.method);
  const std::size_t entries = arguments.entries.size();
  const std::span<ir::Rule> rules = std::span(out.selection.rules).last(entries);
  for (std::size_t at = 0; at < entries; ++at)
    rules[at].span = own.selection.rules[own.selection.rules.size() - entries + at].span;
  return out;
}

// Reports an entry whose layers the path without a model never quantizes.
static void report_skipped(const Context& context, const Arguments& arguments, const ir::Assign& own,
                           const SkippedLayer& skipped) {
  std::vector<std::string> switches;
  for (const Switch& each : arguments.free_switches) switches.push_back(fmt::format("`{}`", each.text));
  auto& report = context.sink.report(diag::autoround_skipped_without_model, place_of(arguments, own, skipped.rule),
                                     base::printable(skipped.layer));
  for (const Switch& each : arguments.free_switches) report.with_label(each.place, "AutoRound does not load the model");
  report.with_help(fmt::format("delete {}: AutoRound then loads the model and applies `{}`",
                               fmt::join(switches, " and "), base::printable(own.selection.rules[skipped.rule].entry)));
}

// Reports layers to which the path without a model gives other settings.
static void report_other_settings(const Context& context, const Arguments& arguments,
                                  const std::vector<std::string>& layers) {
  auto& report = context.sink.report(diag::autoround_paths_differ, arguments.layer_config, first_of(layers));
  const bool command = !arguments.free_switches.empty() && arguments.free_switches.front().text.starts_with("--");
  if (command) report.with_help("add `--disable_model_free`, or write keys that do not overlap");
}

void check_model_free(const Context& context, const Arguments& arguments, ir::Assign& own) {
  if (!arguments.model_free || context.modules == nullptr) return;
  const ir::Assign free = lowered_without_model(arguments);
  std::vector<std::string> different = different_modules(own, free, *context.modules);
  std::set<std::uint32_t> reported;
  for (const SkippedLayer& skipped : skipped_without_model(own, free, *context.modules)) {
    if (!arguments.names_model || !has_defect(context, "AR207")) break;
    std::erase(different, skipped.layer);
    if (reported.insert(skipped.rule).second) report_skipped(context, arguments, own, skipped);
  }
  if (!different.empty() && has_defect(context, "AR204")) {
    report_other_settings(context, arguments, different);
    if (arguments.names_model) reported.merge(rules_for(own, *context.modules, different));
  }
  quantizers::forget_places(own.selection, {reported.begin(), reported.end()});
}

void check_losses(const Context& context, const Arguments& arguments, ir::Assign& assign) {
  if (context.modules == nullptr || arguments.unknown || std::ranges::any_of(arguments.entries, &LayerSetting::unknown))
    return;
  const bool tied = resets_tied_head(assign, *context.modules);
  if (tied) report_tied_head(context, arguments);
  check_unmatched(context, assign, tied);
  check_model_free(context, arguments, assign);
  if (has_no_model(arguments)) return;
  for (const LostRule& lost : lost_rules(assign, *context.modules)) {
    if (!has_defect(context, "AR202")) break;
    if (assign.selection.rules[lost.rule].kind != ir::Rule::Kind::assigns) continue;
    const std::string& entry = assign.selection.rules[lost.rule].entry;
    auto& report = context.sink.report(diag::autoround_pattern_loses_layers, place_of(arguments, assign, lost.rule),
                                       entry, lost.layers, lost.layer);
    const std::size_t at = lost.layer.find(entry);
    const bool within = at != std::string::npos && at + entry.size() < lost.layer.size();
    if (within && lost.layer[at + entry.size()] != '.') {
      report.with_help(fmt::format("write `{0}.`, which does not match `{1}`", entry, lost.layer))
          .with_fix(diag::Fix::unsafe().content(report.span, entry + "."));
    } else if (const std::string key = key_for_kept(lost, entry, assign, *context.modules); !key.empty()) {
      report.with_caret(fmt::format("`{}` has a side that is not a multiple of 32", base::last_part(lost.layer)))
          .with_help(fmt::format("write `{}`", key))
          .with_fix(diag::Fix::unsafe().content(report.span, key));
    }
  }
  const auto loaded =
      is_saved_in_own_form(arguments)
          ? different_modules(assign, lowered(saved_form(arguments, *context.modules), kLoader), *context.modules)
          : std::vector<std::string>();
  if (!loaded.empty() && has_defect(context, "AR203")) report_loaded(context, arguments, loaded);
}

bool check_patterns(const Context& context, const Arguments& arguments) {
  bool valid = true;
  std::unordered_set<std::string_view> layers;
  for (std::size_t at = 0; context.modules != nullptr && at < context.modules->size(); ++at) {
    const model::Module& module = (*context.modules)[at];
    if (quantizers::is_linear(module)) layers.insert(module.name);
  }
  for (const LayerSetting& entry : arguments.entries) {
    selectors::Entry prepared{entry.key};
    if (entry.unknown || layers.contains(entry.key)) continue;
    const auto rejection = selectors::prepare(*kOwn.reader, prepared);
    if (!rejection) continue;
    const std::string text = rewritten(entry.key);
    auto& report = context.sink.report(diag::regex_syntax, entry.span, rejection->detail);
    report.with_label(entry.span, fmt::format("AutoRound compiles `{}`", base::printable(text)));
    advise_on_class(report, entry.key, entry.span);
    valid = false;
  }
  for (const Block& block : arguments.blocks) {
    if (block.exact) continue;
    if (const auto error = regex::syntax_error_of(block.text)) {
      advise_on_class(context.sink.report(diag::regex_syntax, block.span, error->message), block.text, block.span);
      valid = false;
    }
  }
  return valid;
}

namespace {

// Arguments that decide the values of quantized weights, in the order of the alphabet.
constexpr std::string_view kTuning[] = {"alg_configs",
                                        "algorithm",
                                        "batch_size",
                                        "dataset",
                                        "disable_opt_rtn",
                                        "enable_adam",
                                        "enable_alg_ext",
                                        "enable_lfq",
                                        "enable_minmax_tuning",
                                        "enable_norm_bias_tuning",
                                        "enable_opt_rtn",
                                        "enable_quanted_input",
                                        "gradient_accumulate_steps",
                                        "iters",
                                        "lr",
                                        "lr_scheduler",
                                        "minmax_lr",
                                        "momentum",
                                        "nblocks",
                                        "nsamples",
                                        "optimizer",
                                        "rotation_config",
                                        "sampler",
                                        "seed",
                                        "seqlen"};

// A configuration in one of its forms.
class Reading {
 public:
  Reading(const Context& context, const ReadOptions& options) : context_(context), options_(options) {}

  ir::Recipe run(const Value& root) {
    recipe_ = empty_recipe();
    const Value* words = root.find(kProgram);
    if (words != nullptr) {
      const auto call = arguments_of(context_, *words);
      add_action(kProgram, root.span, call.value_or(*words));
      if (call) read_call(*call, {root.span, true, {}});
      return std::move(recipe_);
    }
    const quantizers::Configuration settings = quantizers::configuration_of(root, callables());
    if (!settings.call.empty()) {
      add_action(settings.call, settings.name, settings.value);
      read_call(settings.value, {settings.name, false, saves_in(root.find(quantizers::kProgramKey))});
    } else if (are_arguments(root)) {
      add_action("AutoRound", root.span, root);
      read_call(root, {root.span, false, {}});
    } else if (is_layer_config(root)) {
      const Value call{source::Map{{Value{std::string("layer_config"), root.span}, root}}, root.span};
      add_action("AutoRound", root.span, call);
      read_call(call, {root.span, false, {}});
    } else {
      read_file(root);
    }
    return std::move(recipe_);
  }

 private:
  // Returns true for a file with the arguments of a call, which has no method as a saved file has.
  [[nodiscard]] static bool are_arguments(const Value& root) {
    return root.find("layer_config") != nullptr && root.find("quant_method") == nullptr &&
           root.find("quantization_config") == nullptr;
  }

  // Returns true for a file that contains only the value of `layer_config`.
  [[nodiscard]] static bool is_layer_config(const Value& root) {
    const auto* map = root.get<source::Map>();
    constexpr std::string_view kSettings[] = {"bits", "group_size", "sym", "data_type", "act_bits", "scheme"};
    const auto sets = [&](const source::Entry& entry) {
      return std::ranges::any_of(kSettings, [&](std::string_view key) { return entry.second.find(key) != nullptr; });
    };
    const bool config = root.find("quantization_config") != nullptr;
    return map != nullptr && !map->empty() && !config && std::ranges::all_of(*map, sets);
  }

  void add_action(std::string_view name, source::Span span, const Value& value) {
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin = quantizers::origin_of(name, span, value);
    action.needs_data = true;
    action.valid = false;
    recipe_.actions.push_back(std::move(action));
  }

  [[nodiscard]] bool is_runtime() const { return runtime_ != quantizers::Runtime::none; }

  // The parameters of a model do not repeat a tied weight.
  [[nodiscard]] bool has_tied_head() const {
    const bool known = context_.modules != nullptr && options_.parameters != nullptr;
    return options_.tied_layer == "lm_head" ||
           (known && context_.is_layer("lm_head") && !options_.parameters->knows("lm_head.weight"));
  }

  // Returns the calls of methods of an object: lists of a name, and of the format if it is known.
  static std::vector<Save> saves_in(const Value* calls) {
    std::vector<Save> out;
    const auto* list = calls == nullptr ? nullptr : calls->get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      const auto* parts = (*list)[at].get<source::List>();
      if (parts == nullptr || parts->empty()) continue;
      const Value& name = parts->front();
      out.push_back(
          {source::python_str(name), name.span, parts->size() > 1 ? (*parts)[1] : Value(), parts->size() < 2});
    }
    return out;
  }

  void read_call(const Value& call, const Form& form) {
    auto arguments = read_arguments(context_, call, form);
    if (arguments) arguments->tied_head = has_tied_head();
    if (!arguments || !check_patterns(context_, *arguments) || !check_blocks(context_, *arguments)) return;
    ir::Action& action = recipe_.actions.front();
    action.valid = true;
    ir::Assign assign = lowered(*arguments);
    assign.method.settings = quantizers::settings_of(call, kAutoRound, kTuning, context_.file, context_.unknown);
    if (is_runtime() && context_.modules != nullptr && !arguments->exported)
      return read_by_runtime(runtime_ == quantizers::Runtime::sglang, context_,
                             saved_form(*arguments, *context_.modules), nullptr, assign, recipe_);
    check_losses(context_, *arguments, assign);
    if (has_no_model(*arguments)) assign = without_model(*arguments, std::move(assign));
    assign.selection.unknown = assign.selection.unknown || arguments->exported;
    action.operations.emplace_back(std::move(assign));
  }

  void read_file(const Value& root) {
    const Value* section = root.given("quantization_config");
    const Value& config = section == nullptr ? root : *section;
    add_action(kSavedConfig.name, config.span, config);
    recipe_.is_result = true;
    if (config.get<source::Map>() == nullptr) {
      context_.sink.report(diag::wrong_type, config.span, "quantization_config", "a mapping", source::describe(config));
      return;
    }
    const auto saved = read_saved(context_, config, is_runtime());
    if (!saved) return;
    recipe_.actions.front().valid = true;
    ir::Assign own = lowered(*saved, kLoader);
    if (is_runtime())
      return read_by_runtime(runtime_ == quantizers::Runtime::sglang, context_, *saved, &config, own, recipe_);
    recipe_.actions.front().operations.emplace_back(std::move(own));
  }

  const Context& context_;
  const ReadOptions& options_;
  quantizers::Runtime runtime_ = quantizers::runtime_of(options_);
  ir::Recipe recipe_;
};

}  // namespace

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  const Context context{source.file, unknown, options.modules.get(), sink, options};
  const Value root = doc::construct(source.document, source.document.root, sink);
  return Reading(context, options).run(root);
}

}  // namespace sparsecfg::dialect::autoround
