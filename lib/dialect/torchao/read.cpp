#include "dialect/torchao/read.h"
#include "dialect/runtime_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/selection.h"
#include "dialect/quantizers/unmatched.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/filter.h"
#include "dialect/torchao/languages.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "model/matcher.h"
#include "model/roles.h"
#include "regex/literal.h"
#include "regex/pattern.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA201, torchao_map_requires_no_filter, error, (), "`quantize_` requires `filter_fn=None` for `FqnToConfig`",
           "The default filter counts as a filter of the user, so `quantize_` stops with a ValueError.",
           "add `filter_fn=None`")

DIAGNOSTIC(
    TA202, torchao_no_weight, error, (Text, Text), "`{}` matches `{}`, which has no weight",
    "The transformation requires a parameter. It stops at containers, activations and other modules without one.",
    "end the pattern with the names of layers, such as `re:.*_proj`")

DIAGNOSTIC(TA203, torchao_two_null_parameters, error, (Text), "two parameters of `{}` have null entries",
           "`quantize_` removes entries of a list while it reads the list, and stops with an IndexError.",
           "write one null entry for the module: `\"{0}\": None`")

DIAGNOSTIC(TA204, torchao_default_key, warning, (), "`_default` will be removed",
           "torchao prints a DeprecationWarning for each use.", "write `re:.*_proj`, or another pattern for the layers")

DIAGNOSTIC(TA205, torchao_quant_type, error, (Text), "`quant_type` must have the only key `default`, but this is {}",
           "transformers reads one configuration under `default`. Names of types as strings, with "
           "`quant_type_kwargs`, were removed in version 5.",
           "write `\"quant_type\": {{\"default\": {{\"_type\": ..., \"_version\": 2, \"_data\": {{...}}}}}}`")

DIAGNOSTIC(
    TA206, torchao_string_list, silent_warning, (Text), "the string `{}` is read letter by letter",
    "A list is expected. Each letter of the string is an entry, and `t` matches the end of every `weight`, so no "
    "layer is quantized.",
    "write a list: `[{0}]`")

DIAGNOSTIC(TA207, torchao_list_quantizes_head, warning, (), "this list does not contain `lm_head`, so it is quantized",
           "Without a list, transformers skips the output layer. Any list replaces this default.",
           "add `lm_head` to the list")

DIAGNOSTIC(TA208, torchao_other_target, warning, (Text, Text, Text), "`{}` also quantizes `{}`, a {}",
           "A key selects modules of any class. Norms, embeddings and routers are changed without a message.",
           "end the pattern with the names of layers, such as `re:.*_proj`")

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

DIAGNOSTIC(TA301, torchao_vllm_ignores_key, silent_warning, (Text), "vLLM never looks up `{}`",
           "vLLM looks up modules, not parameters, and joined layers only by their own names, such as `qkv_proj`.",
           "write the name of the joined layer as well, or a pattern for both")

DIAGNOSTIC(
    TA302, torchao_vllm_joined_layer, silent_warning, (Text, Text), "vLLM looks up `{}`, which `{}` does not match",
    "vLLM joins layers such as `q_proj`, `k_proj` and `v_proj`, and compares keys with the name of the joined layer. "
    "A key that matches only the parts leaves the joined layer unquantized, although its weights are stored "
    "quantized.",
    "write a pattern that also matches the joined layer")

DIAGNOSTIC(TA210, torchao_class_without_call, error, (Text),
           "`{}` is a class, but `quantize_` requires an instance of it",
           "`quantize_` stops with an AssertionError for everything that is no instance of a configuration.",
           "write `{0}()`")

DIAGNOSTIC(TA211, torchao_argument_unknown, error, (Text), "`quantize_` has no argument `{}`",
           "The call stops with a TypeError. Its arguments are `model`, `config`, `filter_fn` and `device`.",
           "delete `{0}`")

DIAGNOSTIC(TA212, torchao_group_does_not_divide, silent_warning, (Text, Text, std::uint64_t),
           "torchao skips {}: {} columns are no multiple of {}",
           "torchao skips a layer if the group size does not divide its columns, and prints no message.",
           "write a group size that divides the columns")

DIAGNOSTIC(TA215, torchao_filter_matches_nothing, silent_warning, (Text),
           "no module that the filter sees has `{}` in its name",
           "A filter compares the names of modules with texts. A text that is in no name selects or excludes nothing, "
           "and `quantize_` prints no message.",
           "write a part of the names")

DIAGNOSTIC(TA216, torchao_container_excluded, silent_warning, (Text), "`{}` excludes no layer: it is a container",
           "A key applies to the module that it matches, not to the modules in it. None for a container leaves its "
           "layers to the other keys.",
           "write a pattern for the layers in it, before the keys that select them")

DIAGNOSTIC(
    TA214, float8_without_units, error, (Text, Text, Text), "`{0}` does not run on {1}, which has capability {2}",
    "Float8 activations are multiplied by units that GPUs have since compute capability 8.9. On an older GPU, "
    "torchao stops with an AssertionError, and vLLM has no other kernel for these tensors.",
    "write `Int8DynamicActivationInt8WeightConfig()`, or use a GPU of capability 8.9 or newer, such as `--gpu l4`")

namespace {

// The names under which other systems have a list of modules to skip.
constexpr std::string_view kSkipping[] = {"ignore", "exclude",        "exclude_modules", "modules_to_not_convert",
                                          "skip",   "ignored_layers", "ignore_layers",   "skip_modules"};

// A configuration in one of its forms, read by one program.
class Reading {
 public:
  Reading(const Context& context, const ReadOptions& options) : context_(context), options_(options) {
    recipe_.dialect = "torchao";
    recipe_.trains = false;
    recipe_.has_rates = false;
  }

  ir::Recipe run(const Value& root) {
    const quantizers::Configuration settings = quantizers::configuration_of(root, callables());
    if (settings.call == kQuantize.name) {
      add_action(settings.call, settings.name, settings.value);
      read_call(settings.value, settings.name);
      return std::move(recipe_);
    }
    const Value* section = root.given("quantization_config");
    const Value& config = !settings.call.empty() ? settings.value : section == nullptr ? root : *section;
    add_action(kTorchAoConfig.name, settings.call.empty() ? config.span : settings.name, config);
    recipe_.is_result = settings.call.empty();
    read_transformers(config, !settings.call.empty());
    return std::move(recipe_);
  }

 private:
  void add_action(std::string_view name, source::Span span, const Value& value) {
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin = quantizers::origin_of(name, span, value);
    action.valid = false;
    recipe_.actions.push_back(std::move(action));
  }

  [[nodiscard]] ir::Action& action() { return recipe_.actions.front(); }

  [[nodiscard]] bool is_vllm() const { return quantizers::runtime_of(options_) == quantizers::Runtime::vllm; }

  void use_units() {
    if (options_.modules != nullptr) recipe_.units = units_of(*options_.modules, options_.parameters);
  }

  // --- quantize_ ----------------------------------------------------------------------------------------

  void read_call(const Value& call, source::Span name) {
    const Value* config = call.find("config");
    const Value* filter = call.find("filter_fn");
    check_arguments(call);
    if (config == nullptr) return;
    if (const auto* text = config->get<std::string>(); text != nullptr && find_class(*text) != nullptr) {
      context_.sink.report(diag::torchao_class_without_call, name, *text);
      return;
    }
    const auto read = read_configuration(context_, *config);
    if (!read) return;
    const bool no_filter = filter != nullptr && filter->is_null();
    const bool unknown_filter = filter != nullptr && context_.is_unknown(*filter);
    if (filter != nullptr && !unknown_filter && report_filter(*filter)) return;
    if (read->is_map && !no_filter && !unknown_filter) {
      context_.sink.report(diag::torchao_map_requires_no_filter, filter == nullptr ? name : filter->span);
      return;
    }
    action().valid = check_patterns(*read);
    if (!action().valid) return;
    const auto function = unknown_filter && !read->is_map ? Filter::at(context_.file, filter->span) : std::nullopt;
    if (function) return read_filtered(*read, *function);
    use_units();
    ir::Assign assign = lowered(*read, kLinearLayers, kOwnMap);
    if (unknown_filter || read->unknown) mark_unknown(assign);
    if (options_.modules != nullptr && !read->unknown) check_targets(*read, assign);
    if (action().valid) action().operations.emplace_back(std::move(assign));
  }

  void check_arguments(const Value& call) {
    for (const source::Entry& each : *call.get<source::Map>()) {
      const std::string argument = source::python_str(each.first);
      if (argument == "**" || kQuantize.find(argument) != nullptr) continue;
      auto& report = context_.sink.report(diag::torchao_argument_unknown, each.first.span, argument);
      if (const std::string filter = filter_for(argument, each.second); !filter.empty())
        report.with_help(fmt::format("write `filter_fn={}`", filter));
    }
  }

  // Reports names in place of a function, which `quantize_` calls. Returns false for other values.
  bool report_filter(const Value& filter) {
    const auto* text = filter.get<std::string>();
    if (text == nullptr && filter.get<source::List>() == nullptr) return false;
    const Value names = text == nullptr ? filter : Value{source::List{filter}, filter.span};
    const std::string function = filter_for(kSkipping[0], names);
    auto& report =
        context_.sink.report(diag::wrong_type, filter.span, "filter_fn", "a function", source::describe(filter));
    report.with_help(function.empty() ? "write a function of a module and its name"
                                      : fmt::format("write `{}` to skip them", function));
    return true;
  }

  // Returns the filter that skips the modules in a list of names, or an empty string.
  static std::string filter_for(std::string_view argument, const Value& value) {
    const auto* list = value.get<source::List>();
    if (list == nullptr || list->empty() || !base::contains(kSkipping, argument)) return {};
    std::vector<std::string> names;
    for (const Value& each : *list) {
      const auto* text = each.get<std::string>();
      if (text == nullptr || text->find_first_of("\"\\") != std::string::npos) return {};
      names.push_back(fmt::format("\"{}\" not in name", *text));
    }
    return fmt::format("lambda module, name: isinstance(module, torch.nn.Linear) and {}", fmt::join(names, " and "));
  }

  // `quantize_` asks the filter for every module, beginning with the model itself.
  void read_filtered(const Configuration& config, const Filter& filter) {
    filter_ = &filter;
    use_units();
    std::vector<model::Module> all = recipe_.units.items();
    if (all.empty() || !all.front().name.empty()) all.insert(all.begin(), model::Module{"", "", std::nullopt});
    has_shapes_ = options_.modules == nullptr ||
                  std::ranges::any_of(all, [](const model::Module& unit) { return unit.shape.has_value(); });
    std::set<std::pair<std::uint32_t, int>> reported;
    std::vector<DecidedUnit> decided;
    const ir::Decisions::Decision selected{.kind = ir::Rule::Kind::assigns};
    for (const model::Module& unit : all) {
      const bool parameter = unit.type == kParameterType;
      const auto selects = parameter ? std::optional(false) : filter.selects(unit);
      DecidedUnit& out = decided.emplace_back();
      out.unknown = !selects && unit.type == "Linear";
      out.reached = selects.value_or(out.unknown);
      if (selects == true) out.scheme = 0;
      if (selects == true) check_target(config, selected, unit, reported);
    }
    report_unfit();
    if (options_.modules != nullptr) report_unmatched(filter);
    if (!action().valid || options_.modules == nullptr) return;
    if (decided.size() > recipe_.units.items().size()) decided.erase(decided.begin());
    ir::Assign assign = lowered(config, kLinearLayers, kOwnMap);
    const bool unknown = assign.selection.unknown;
    assign.selection = decided_selection(&kFiltered, decided);
    assign.selection.unknown = assign.selection.unknown || unknown;
    action().operations.emplace_back(std::move(assign));
    const bool sure = std::ranges::none_of(decided, &DecidedUnit::unknown);
    if (sure) recipe_.evaluated.insert(filter.use());
  }

  void report_unmatched(const Filter& filter) {
    const std::vector<std::string_view> layers = names_of_layers();
    for (const source::Located<std::string>& text : filter.unmatched()) {
      const auto near = base::nearest(base::last_part(text.value), layers);
      auto& report = context_.sink.report(diag::torchao_filter_matches_nothing, text.span, text.value);
      if (near) report.with_help(fmt::format("write `{}`", *near));
    }
  }

  // Advises to test for linear layers in the filter.
  void advise_on_filter(diag::Diagnostic& report) const {
    if (filter_ == nullptr) return;
    if (filter_->only_linear().empty()) {
      report.with_help(
          fmt::format("begin the function with `if not {}: return False`: it replaces the test for linear "
                      "layers",
                      filter_->test_for_linear()));
      return;
    }
    report.with_help(fmt::format("write `{}`: a filter replaces the test for linear layers", filter_->only_linear()))
        .with_fix(diag::Fix::unsafe().replace(filter_->place(), filter_->only_linear()));
  }

  // A filter or a part of a map that is not known may select any module.
  static void mark_unknown(ir::Assign& assign) {
    for (ir::Rule& rule : assign.selection.rules) rule.unknown = true;
  }

  bool check_patterns(const Configuration& config) {
    bool valid = true;
    for (const MapEntry& entry : config.entries) {
      if (entry.key == "_default") context_.sink.report(diag::torchao_default_key, entry.span);
      if (!entry.key.starts_with("re:")) continue;
      const auto error = regex::syntax_error_of(std::string_view(entry.key).substr(3));
      if (!error || error->unsupported) continue;
      context_.sink.report(diag::regex_syntax, entry.span, error->message);
      valid = false;
    }
    return valid;
  }

  // Returns the operation of a configuration. Only one of the languages is used.
  static ir::Assign lowered(const Configuration& config, const ir::Language& all, const ir::Language& map) {
    ir::Assign out;
    out.method = {"torchao", "torchao", {}};
    out.selection.language = config.is_map ? &map : &all;
    if (config.all) out.selection.otherwise = quantizers::add_scheme(out.schemes, scheme_of(*config.all));
    out.selection.unknown = config.all && config.all->unknown;
    for (const MapEntry& entry : config.entries) {
      ir::Rule rule{entry.key, entry.span, ir::Rule::Kind::excludes, 0, entry.config && entry.config->unknown};
      if (entry.config) {
        rule.kind = ir::Rule::Kind::assigns;
        rule.scheme = quantizers::add_scheme(out.schemes, scheme_of(*entry.config));
      }
      out.selection.rules.push_back(std::move(rule));
    }
    return out;
  }

  // Reports modules to which a configuration cannot or should not be applied.
  void check_targets(const Configuration& config, ir::Assign& assign) {
    const std::vector<model::Module>& units = recipe_.units.items();
    has_shapes_ = std::ranges::any_of(units, [](const model::Module& unit) { return unit.shape.has_value(); });
    if (const auto nulls = two_nulls(assign.selection, units)) {
      context_.sink.report(diag::torchao_two_null_parameters, assign.selection.rules[nulls->rule].span, nulls->module);
      action().valid = false;
      return;
    }
    const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, units);
    std::set<std::pair<std::uint32_t, int>> reported;
    std::vector<bool> used(assign.selection.rules.size(), false);
    for (std::size_t at = 0; at < units.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      if (decision.rule && is_linear(units[at])) layers_[*decision.rule].insert(base::last_part(units[at].name));
    }
    for (std::size_t at = 0; at < units.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      if (decision.rule) used[*decision.rule] = true;
      for (const std::uint32_t other : decision.overridden) used[other] = true;
      const bool assigned =
          decision.reason != ir::Decisions::Reason::not_reached && decision.kind == ir::Rule::Kind::assigns;
      if (assigned || is_unfit(config, decision, units[at])) check_target(config, decision, units[at], reported);
    }
    report_unfit();
    report_containers(assign, decisions);
    report_unused(assign, used);
  }

  // Returns true if an entry is the name of a module with linear layers in it that no key of its own excludes.
  [[nodiscard]] bool names_container(const ir::Rule& rule, const ir::Assign& assign,
                                     const ir::Decisions& decisions) const {
    if (rule.kind != ir::Rule::Kind::excludes || rule.entry.starts_with("re:")) return false;
    const std::vector<model::Module>& units = recipe_.units.items();
    for (std::size_t at = 0; at < units.size(); ++at) {
      if (is_linear(units[at]) && units[at].name == rule.entry) return false;
      if (!is_linear(units[at]) || !units[at].name.starts_with(rule.entry + ".")) continue;
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

  // Returns the configuration that applies to a module; null: none.
  static const Config* applied_to(const Configuration& config, const ir::Decisions::Decision& decision) {
    const auto& chosen = decision.rule ? config.entries[*decision.rule].config : config.all;
    return chosen ? &*chosen : nullptr;
  }

  static bool is_unfit(const Configuration& config, const ir::Decisions::Decision& decision,
                       const model::Module& unit) {
    const Config* applied = applied_to(config, decision);
    const bool left = decision.reason != ir::Decisions::Reason::not_reached && decision.kind == ir::Rule::Kind::leaves;
    return left && applied != nullptr && !fits(scheme_of(*applied), unit);
  }

  // Layers that a configuration leaves unquantized, because its group size does not divide their columns.
  struct Unfit {
    source::Span place;
    std::uint64_t group = 0;
    std::vector<std::string> names;
    std::set<std::uint64_t> columns;
  };

  void add_unfit(const Config& config, std::uint32_t number, const model::Module& unit) {
    Unfit& unfit = unfit_[number];
    unfit.place = config.span;
    unfit.group = static_cast<std::uint64_t>(scheme_of(config).weights.front().group_size);
    unfit.names.push_back(unit.name);
    unfit.columns.insert(unit.shape->back());
  }

  void report_unfit() {
    for (const auto& [number, unfit] : unfit_) {
      std::vector<std::string> columns;
      for (const std::uint64_t each : unfit.columns) columns.push_back(std::to_string(each));
      const std::string layers = fmt::format("{} such as `{}`", base::counted(unfit.names.size(), "layer"),
                                             base::printable(unfit.names.front()));
      auto& report = context_.sink.report(diag::torchao_group_does_not_divide, unfit.place, layers,
                                          base::join_and(columns), unfit.group);
      for (const std::uint64_t size : {256U, 128U, 64U, 32U}) {
        const auto divides = [&](std::uint64_t each) { return each % size == 0; };
        if (size > unfit.group || !std::ranges::all_of(unfit.columns, divides)) continue;
        report.with_help(fmt::format("write `group_size={}`", size));
        break;
      }
    }
    unfit_.clear();
  }

  void check_target(const Configuration& config, const ir::Decisions::Decision& decision, const model::Module& unit,
                    std::set<std::pair<std::uint32_t, int>>& reported) {
    const Config& applied = *applied_to(config, decision);
    const std::uint32_t number = decision.rule.value_or(UINT32_MAX);
    const source::Span place = decision.rule        ? config.entries[*decision.rule].span
                               : filter_ != nullptr ? filter_->place()
                                                    : config.span;
    const std::string key = decision.rule        ? config.entries[*decision.rule].key
                            : filter_ != nullptr ? "filter_fn"
                                                 : std::string(kQuantize.name);
    const bool linear = is_linear(unit);
    if (has_shapes_ && unit.type != kParameterType && !unit.shape && !linear) {
      if (reported.emplace(number, 0).second) {
        auto& report =
            context_.sink.report(diag::torchao_no_weight, place, key, unit.name.empty() ? unit.type : unit.name);
        advise_on_filter(report);
        if (decision.rule) advise_on_pattern(report, key, *decision.rule);
      }
      reported.emplace(number, 2);  // the same advice
      action().valid = false;
    } else if (const std::string why = rejection_of(applied); !why.empty()) {
      if (reported.emplace(number, 1).second)
        context_.sink.report(diag::torchao_cannot_apply, applied.span,
                             applied.spec == nullptr ? key : std::string(applied.spec->name), why);
      action().valid = false;
    } else if (const auto unfit = unfit_shape(applied, unit)) {
      if (reported.emplace(number, 3).second)
        context_.sink.report(diag::torchao_cannot_apply, place, applied.spec->name, unfit->why).with_help(unfit->help);
      action().valid = false;
    } else if (!fits(scheme_of(applied), unit)) {
      add_unfit(applied, number, unit);
    } else if (!linear && unit.type != kParameterType && reported.emplace(number, 2).second) {
      auto& report = context_.sink.report(diag::torchao_other_target, place, key, unit.name, unit.type);
      advise_on_filter(report);
      if (decision.rule) advise_on_pattern(report, key, *decision.rule);
    }
  }

  static bool is_linear(const model::Module& unit) { return torchao::is_linear(unit) || unit.type == "Conv1D"; }

  // Returns an ending that names of layers have and names of their containers do not: `_proj`, or the names themselves.
  static std::string ending_of(const std::set<std::string_view>& names) {
    constexpr std::size_t kMaxNames = 8;
    std::string_view common = *names.begin();
    for (const std::string_view name : names) {
      while (!name.ends_with(common)) common.remove_prefix(1);
    }
    const std::size_t word = common.rfind('_');
    if (word != std::string_view::npos && word + 2 < common.size()) return std::string(common.substr(word));
    if (names.size() > kMaxNames) return {};
    return names.size() == 1 ? fmt::format("\\.{}", *names.begin()) : fmt::format("\\.(?:{})", fmt::join(names, "|"));
  }

  // Offers to end a pattern with the names of the linear layers that it matches.
  void advise_on_pattern(diag::Diagnostic& report, const std::string& key, std::uint32_t rule) const {
    const auto layers = layers_.find(rule);
    if (!key.starts_with("re:")) return;
    if (layers == layers_.end()) return advise_on_container(report, key);
    const std::string ending = ending_of(layers->second);
    if (ending.empty()) return;
    std::string_view start = key;
    for (const std::string_view open : {"$", ".*", ".+", "\\."}) {
      if (start.ends_with(open)) start.remove_suffix(open.size());
    }
    const std::string text = fmt::format("{}.*{}", start, ending);
    report.with_help(fmt::format("write `{}`", text)).with_fix(diag::Fix::unsafe().content(report.span, text));
  }

  // Advises to select the layers in the containers that a pattern matches.
  void advise_on_container(diag::Diagnostic& report, const std::string& key) const {
    const std::string pattern = key.substr(std::string_view("re:").size());
    const model::Matcher containers(fmt::format("(?:{})$", pattern));
    std::set<std::string, std::less<>> names;
    for (const model::Module& unit : recipe_.units.items()) {
      const std::string_view last = base::last_part(unit.name);
      const bool inner = is_linear(unit) && last.size() < unit.name.size();
      const auto parent = std::string_view(unit.name).substr(0, inner ? unit.name.size() - last.size() - 1 : 0);
      if (inner && containers.match(parent) == regex::Match::yes) names.emplace(last);
    }
    constexpr std::size_t kMost = 8;
    if (names.empty() || names.size() > kMost) return;
    const std::string text = names.size() == 1 ? fmt::format("{}\\.{}", key, *names.begin())
                                               : fmt::format("{}\\.({})", key, fmt::join(names, "|"));
    report.with_help(fmt::format("write `{}`", text)).with_fix(diag::Fix::unsafe().content(report.span, text));
  }

  // Returns the last parts of the names of all linear layers.
  [[nodiscard]] std::vector<std::string_view> names_of_layers() const {
    std::set<std::string_view> out;
    for (const model::Module& unit : recipe_.units.items()) {
      if (is_linear(unit)) out.insert(base::last_part(unit.name));
    }
    return {out.begin(), out.end()};
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
    for (const model::Module& unit : recipe_.units.items()) {
      const std::size_t at = unit.type == kParameterType ? unit.name.find(kExperts) : std::string::npos;
      const bool weight = at != std::string::npos && unit.shape && unit.shape->size() == 3;
      if (weight) parts.insert(std::string_view(unit.name).substr(at + kExperts.size()));
    }
    if (parts.empty()) return {};
    return fmt::format("write `re:.*\\.experts\\.({})`: the experts of this model are parameters, not modules",
                       fmt::join(parts, "|"));
  }

  void report_unused(ir::Assign& assign, const std::vector<bool>& used) {
    const std::vector<std::string_view> layers = names_of_layers();
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
      return std::ranges::any_of(recipe_.units.items(), [&](const model::Module& unit) {
        return is_linear(unit) && own.match(unit.name) == regex::Match::yes &&
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

  // --- transformers -------------------------------------------------------------------------------------

  // Returns the configuration under `default`, or null after a report.
  const Value* default_of(const Value& config, bool call) {
    const Value* type = config.find("quant_type");
    if (type != nullptr && call && type->get<source::Map>() != nullptr && type->find("default") == nullptr) return type;
    const auto* map = type == nullptr ? nullptr : type->get<source::Map>();
    const Value* out = map != nullptr && map->size() == 1 ? type->find("default") : nullptr;
    const bool unknown = type != nullptr && context_.is_unknown(*type);
    if (out != nullptr || (call && unknown)) return out == nullptr ? type : out;
    const source::Span place = type == nullptr ? config.span : type->span;
    auto& report = context_.sink.report(diag::torchao_quant_type, place,
                                        type == nullptr ? std::string("absent") : source::describe(*type));
    if (call) advise_on_type(report, type, config);
    return nullptr;
  }

  // Advises to construct a configuration. The arguments of the call that its class has become its arguments.
  void advise_on_type(diag::Diagnostic& report, const Value* type, const Value& call) const {
    const auto* name = type == nullptr ? nullptr : type->get<std::string>();
    std::string_view form = name == nullptr ? std::string_view() : current_form(*name);
    if (form.empty()) form = "Int4WeightOnlyConfig(group_size=128)";
    const Construction built = construction_of(form, call, context_.file);
    const std::string beside =
        built.arguments.empty() ? "" : fmt::format(" without {} beside it", base::join_and(built.arguments));
    report.with_help(fmt::format("write `quant_type={}`{}, and `from torchao.quantization import {}`", built.text,
                                 beside, built.name));
  }

  void read_transformers(const Value& config, bool call) {
    const Value* inner = default_of(config, call);
    const auto read = inner == nullptr ? std::nullopt : read_configuration(context_, *inner);
    if (!read || !check_patterns(*read)) return;
    const Value* skip = config.find("modules_to_not_convert");
    if (skip != nullptr && skip->is_null()) skip = nullptr;
    action().valid = true;
    if (is_vllm()) {
      read_by_vllm(*read, skip, *inner);
    } else {
      read_by_transformers(*read, skip, config);
    }
  }

  // Returns the texts of a list; of a string, its letters.
  static std::vector<std::pair<std::string, source::Span>> texts_of(const Value* list) {
    std::vector<std::pair<std::string, source::Span>> out;
    if (list == nullptr) return out;
    if (const auto* text = list->get<std::string>()) {
      for (const char letter : *text) out.emplace_back(std::string(1, letter), source::Span());
    }
    const auto* items = list->get<source::List>();
    for (std::size_t at = 0; items != nullptr && at < items->size(); ++at)
      out.emplace_back(source::python_str((*items)[at]), (*items)[at].span);
    return out;
  }

  static ir::Assign skipping(const ir::Language& language,
                             const std::vector<std::pair<std::string, source::Span>>& texts) {
    ir::Assign out;
    out.selection.language = &language;
    for (const auto& [text, span] : texts) out.selection.rules.push_back({text, span, ir::Rule::Kind::excludes, 0});
    return out;
  }

  void read_by_transformers(const Configuration& config, const Value* skip, const Value& whole) {
    const Value* both = whole.find("include_input_output_embeddings");
    const bool embeddings = both != nullptr && both->number().value_or(0) != 0;
    use_units();
    auto texts = texts_of(skip);
    if (embeddings)
      std::erase_if(texts,
                    [](const auto& each) { return each.first == "lm_head" || each.first == "model.embed_tokens"; });
    if (!check_skips(texts)) return;
    ir::Assign assign = lowered(config, kLinearLayers, embeddings ? kTransformersMapWithEmbeddings : kTransformersMap);
    std::optional<ir::Assign> kept;
    if (skip != nullptr) {
      kept = skipping(kTransformersSkip, texts);
      if (!embeddings) check_list(*skip, texts);
    } else if (!embeddings) {
      kept = skipping(kTransformersDefaultSkip, {});
    }
    if (options_.modules != nullptr && !config.unknown) check_groups(config, assign, kept);
    action().operations.emplace_back(std::move(assign));
    if (kept) action().operations.emplace_back(std::move(*kept));
  }

  // `kept`: the layers that stay unquantized anyway.
  void check_groups(const Configuration& config, const ir::Assign& assign, const std::optional<ir::Assign>& kept) {
    const std::vector<model::Module>& units = recipe_.units.items();
    const auto decide = [&](const ir::Assign& each) {
      return each.selection.language->decide(each.selection, each.schemes, units);
    };
    const ir::Decisions decisions = decide(assign);
    const ir::Decisions others = kept ? decide(*kept) : ir::Decisions();
    for (std::size_t at = 0; at < units.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool is_kept = kept && others.of_modules[at] != 0;
      if (is_kept || !is_unfit(config, decision, units[at])) continue;
      add_unfit(*applied_to(config, decision), decision.rule.value_or(UINT32_MAX), units[at]);
    }
    report_unfit();
  }

  // Each entry of the list is also compiled as a pattern.
  bool check_skips(const std::vector<std::pair<std::string, source::Span>>& texts) {
    for (const auto& [text, span] : texts) {
      const auto error = regex::syntax_error_of(text);
      if (!error || error->unsupported) continue;
      context_.sink.report(diag::regex_syntax, span, error->message)
          .with_help(fmt::format("write `.*{}`", text.substr(text.find_first_not_of("*.?"))));
      action().valid = false;
      return false;
    }
    return true;
  }

  void check_list(const Value& skip, const std::vector<std::pair<std::string, source::Span>>& texts) {
    if (context_.is_unknown(skip)) return;
    if (const auto* text = skip.get<std::string>()) {
      context_.sink.report(diag::torchao_string_list, skip.span, *text);
      return;
    }
    if (options_.modules == nullptr) return;
    const bool has_head =
        std::ranges::any_of(*options_.modules, [](const model::Module& module) { return module.name == "lm_head"; });
    const bool named =
        std::ranges::any_of(texts, [](const auto& each) { return each.first.find("lm_head") != std::string::npos; });
    if (has_head && !named)
      context_.sink.report(diag::torchao_list_quantizes_head, skip.span).with_cause(meant_for_head(texts));
  }

  // Returns the place of an entry that was meant to be the head, or an empty one. The entry is reported itself.
  static source::Span meant_for_head(const std::vector<std::pair<std::string, source::Span>>& texts) {
    static constexpr std::string_view kHead[] = {"lm_head"};
    const auto found =
        std::ranges::find_if(texts, [](const auto& each) { return base::nearest(each.first, kHead).has_value(); });
    return found == texts.end() ? source::Span() : found->second;
  }

  // --- vLLM ---------------------------------------------------------------------------------------------

  // Reports float8 activations on a GPU of the option without units for them.
  void check_gpu(const Config& config) {
    const auto gpu = gpu_of(options_);
    constexpr int kFloat8 = 89;
    const bool activations = config.spec != nullptr && (config.spec->name.starts_with("Float8DynamicActivation") ||
                                                        config.spec->name.starts_with("Float8StaticActivation"));
    if (!gpu || !activations || gpu->capability >= kFloat8) return;
    context_.sink.report(diag::float8_without_units, config.span, config.spec->name, gpu->title,
                         capability_text(gpu->capability));
  }

  void read_by_vllm(const Configuration& config, const Value* skip, const Value& inner) {
    if (options_.modules != nullptr) {
      std::vector<model::Module> linear;
      std::ranges::copy_if(*options_.modules, std::back_inserter(linear),
                           [](const model::Module& module) { return torchao::is_linear(module); });
      recipe_.units = quantizers::fused_layers(linear, {.head = false, .experts = false});
    }
    if (config.all) check_gpu(*config.all);
    for (const MapEntry& entry : config.entries) {
      if (entry.config) check_gpu(*entry.config);
    }
    auto texts = texts_of(skip);
    const Value* data = inner.find("_data");
    const Value* map = data == nullptr ? nullptr : data->given("module_fqn_to_config");
    const auto* entries = map == nullptr ? nullptr : map->get<source::Map>();
    for (std::size_t at = 0; entries != nullptr && at < entries->size(); ++at) {
      if ((*entries)[at].second.is_null())
        texts.emplace_back(source::python_str((*entries)[at].first), (*entries)[at].first.span);
    }
    ir::Assign assign = lowered(config, kLinearLayers, kVllmMap);
    if (options_.modules != nullptr) report_ignored(assign);
    action().operations.emplace_back(without_places(std::move(assign)));
    if (!texts.empty()) action().operations.emplace_back(without_places(skipping(kVllmSkip, texts)));
  }

  // vLLM never looks up some layers, such as the output layer, so common checks must not report their entries.
  [[nodiscard]] ir::Assign without_places(ir::Assign assign) const {
    if (options_.modules == nullptr) return assign;
    const ir::Selection& selection = assign.selection;
    const ir::Decisions decisions = selection.language->decide(selection, assign.schemes, recipe_.units.items());
    quantizers::forget_places(assign.selection, quantizers::unmatched_rules(selection, decisions));
    return assign;
  }

  void report_ignored(const ir::Assign& assign) {
    const std::vector<model::Module>& layers = recipe_.units.items();
    const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, layers);
    std::vector<bool> used(assign.selection.rules.size(), false);
    for (const ir::Decisions::Decision& decision : decisions.entries) {
      if (decision.rule) used[*decision.rule] = true;
      for (const std::uint32_t other : decision.overridden) used[other] = true;
    }
    for (std::size_t at = 0; at < used.size(); ++at) {
      const ir::Rule& rule = assign.selection.rules[at];
      if (!used[at] && !rule.unknown && rule.kind == ir::Rule::Kind::assigns) {
        auto& report = context_.sink.report(diag::torchao_vllm_ignores_key, rule.span, rule.entry);
        const auto layer = joined_layer_of(rule, layers);
        if (!layer.empty()) offer_joined(report, rule, layer);
      }
    }
    report_joined(assign, decisions);
  }

  // Returns the joined layer of whose parts a key matches one; empty if there is none.
  [[nodiscard]] static std::string joined_layer_of(const ir::Rule& rule, const std::vector<model::Module>& layers) {
    for (const model::Module& layer : layers) {
      if (!quantizers::entry_for_joined(rule.entry, layer.name, "re:").empty()) return layer.name;
    }
    return {};
  }

  static void offer_joined(diag::Diagnostic& report, const ir::Rule& rule, const std::string& layer) {
    const std::string meant = quantizers::entry_for_joined(rule.entry, layer, "re:");
    report.with_help(fmt::format("write `{}`, which also matches `{}`", meant, base::last_part(layer)))
        .with_fix(diag::Fix::unsafe().content(rule.span, meant));
  }

  // Reports keys that decide all parts of a joined layer that vLLM leaves unquantized.
  void report_joined(const ir::Assign& assign, const ir::Decisions& decisions) {
    const std::vector<model::Module>& layers = recipe_.units.items();
    const ir::Selection& selection = assign.selection;
    const ir::Decisions own = kOwnMap.decide(selection, assign.schemes, *options_.modules);
    std::map<std::string_view, std::optional<std::uint32_t>> rules;
    for (std::size_t at = 0; at < own.of_modules.size(); ++at) {
      rules.emplace((*options_.modules)[at].name, own.entries[own.of_modules[at]].rule);
    }
    std::set<std::uint32_t> reported;
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const std::vector<std::string> parts = quantizers::parts_of(layers[at].name);
      const auto found = parts.empty() ? rules.end() : rules.find(parts.front());
      const auto rule = found == rules.end() ? std::nullopt : found->second;
      const bool decided = decisions.entries[decisions.of_modules[at]].rule.has_value();
      if (!rule || decided || selection.rules[*rule].kind != ir::Rule::Kind::assigns) continue;
      if (quantizers::entry_for_joined(selection.rules[*rule].entry, layers[at].name, "re:").empty()) continue;
      if (!reported.insert(*rule).second) continue;
      auto& report = context_.sink.report(diag::torchao_vllm_joined_layer, selection.rules[*rule].span,
                                          base::last_part(layers[at].name), selection.rules[*rule].entry);
      offer_joined(report, selection.rules[*rule], layers[at].name);
    }
  }

  const Context& context_;
  const ReadOptions& options_;
  ir::Recipe recipe_;
  const Filter* filter_ = nullptr;                              // of a call, if it can be evaluated
  std::map<std::uint32_t, Unfit> unfit_{};                      // by entry; UINT32_MAX: of the whole configuration
  bool has_shapes_ = false;                                     // true if modules without a shape have no weight
  std::map<std::uint32_t, std::set<std::string_view>> layers_;  // last words of the linear layers of each rule
};

}  // namespace

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  const Context context{source.file, unknown, sink, options};
  const Value root = doc::construct(source.document, source.document.root, sink);
  return Reading(context, options).run(root);
}

}  // namespace sparsecfg::dialect::torchao
