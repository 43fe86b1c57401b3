#include "dialect/torchao/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/keys.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/targets.h"
#include "dialect/torchao/types.h"

namespace sparsecfg::dialect::torchao {

using source::Value;

DIAGNOSTIC(TA201, torchao_map_requires_no_filter, error, (), "`quantize_` requires `filter_fn=None` for `FqnToConfig`",
           "The default filter counts as a filter of the user, so `quantize_` stops with a ValueError.",
           "add `filter_fn=None`")

DIAGNOSTIC(TA210, torchao_class_without_call, error, (Text),
           "`{}` is a class, but `quantize_` requires an instance of it",
           "`quantize_` stops with an AssertionError for everything that is no instance of a configuration.",
           "write `{0}()`")

DIAGNOSTIC(TA211, torchao_argument_unknown, error, (Text), "`quantize_` has no argument `{}`",
           "The call stops with a TypeError. Its arguments are `model`, `config`, `filter_fn` and `device`.",
           "delete `{0}`")

DIAGNOSTIC(TA215, torchao_filter_matches_nothing, silent_warning, (Text),
           "no module that the filter sees has `{}` in its name",
           "A filter compares the names of modules with texts. A text that is in no name selects or excludes nothing, "
           "and `quantize_` prints no message.",
           "write a part of the names")

DIAGNOSTIC(TA218, torchao_filter_order, silent_warning, (Text),
           "`quantize_` calls the filter with the module first, so `{}` is the module",
           "A filter gets a module and its name, in this order. With the names of the parameters exchanged, a test of "
           "the class of a string fails for every module, and no layer is quantized.",
           "exchange the parameters")

DIAGNOSTIC(TA219, torchao_filter_parameters, error, (), "`quantize_` calls the filter with a module and its name",
           "A function that does not accept two arguments raises a TypeError at the first module.",
           "write a function of two parameters, such as `lambda module, name: ...`")

DIAGNOSTIC(TA221, torchao_compiled_names, silent_warning, (Text),
           "{} matches no layer: the names of a compiled model begin with `_orig_mod.`",
           "`torch.compile` returns a module that contains the model under the name `_orig_mod`. Keys and filters that "
           "compare the beginning of a name then select nothing, and `quantize_` prints no message.",
           "call `torch.compile` after `quantize_`")

DIAGNOSTIC(TA227, torchao_filter_inverted, silent_warning, (Text),
           "the filter selects only {}, although it names layers to keep",
           "`filter_fn` returns true for the modules that `quantize_` changes. A function that returns true for the "
           "modules to skip quantizes only these, and all others stay as they are.",
           "return true for the layers to quantize")

namespace {

// The names under which other systems have a list of modules to skip.
constexpr std::string_view kSkipping[] = {"ignore", "exclude",        "exclude_modules", "modules_to_not_convert",
                                          "skip",   "ignored_layers", "ignore_layers",   "skip_modules"};

// Reads one call.
class CallReader {
 public:
  CallReader(const Context& context, const Program& program, const std::vector<model::Module>& units,
             const std::vector<bool>& prepared)
      : context_(context), program_(program), units_(units), prepared_(prepared) {}

  CallReading run(const Value& call, source::Span name) {
    const Value* config = call.find("config");
    const Value* filter = call.find("filter_fn");
    check_arguments(call);
    if (config == nullptr) return std::move(out_);
    if (const auto* text = config->get<std::string>(); text != nullptr && find_class(*text) != nullptr) {
      context_.sink.report(diag::torchao_class_without_call, name, *text);
      return std::move(out_);
    }
    auto read = read_configuration(context_, *config);
    if (!read) return std::move(out_);
    out_.config = std::move(*read);
    const bool no_filter = filter != nullptr && filter->is_null();
    const bool unknown_filter = filter != nullptr && context_.is_unknown(*filter);
    if (filter != nullptr && !unknown_filter && report_filter(*filter)) return std::move(out_);
    if (out_.config.is_map && !no_filter && !unknown_filter) {
      context_.sink.report(diag::torchao_map_requires_no_filter, filter == nullptr ? name : filter->span);
      return std::move(out_);
    }
    out_.valid = check_patterns(context_, out_.config);
    out_.default_filter = !unknown_filter && !out_.config.is_map;
    if (unknown_filter && !out_.config.is_map) out_.filter = Filter::at(context_.file, filter->span);
    if (!out_.valid || (out_.filter && !check_parameters())) return without_result();
    if (out_.filter) {
      read_filtered();
    } else {
      read_unfiltered(unknown_filter);
    }
    return std::move(out_);
  }

 private:
  CallReading without_result() {
    out_.valid = false;
    return std::move(out_);
  }

  void check_arguments(const Value& call) {
    for (const source::Entry& each : *call.get<source::Map>()) {
      const std::string argument = source::python_str(each.first);
      if (argument == "**" || kQuantize.find(argument) != nullptr) continue;
      auto& report = context_.sink.report(diag::torchao_argument_unknown, each.first.span, argument);
      const quantizers::ScriptCode filter = filter_for(argument, each.second);
      if (!filter.text.empty()) report.with_help(fmt::format("write `filter_fn={}`{}", filter.text, filter.imports));
    }
  }

  // Reports names in place of a function, which `quantize_` calls. Returns false for other values.
  bool report_filter(const Value& filter) {
    const auto* text = filter.get<std::string>();
    if (text == nullptr && filter.get<source::List>() == nullptr) return false;
    const Value names = text == nullptr ? filter : Value{source::List{filter}, filter.span};
    const quantizers::ScriptCode function = filter_for(kSkipping[0], names);
    auto& report =
        context_.sink.report(diag::wrong_type, filter.span, "filter_fn", "a function", source::describe(filter));
    report.with_help(function.text.empty() ? "write a function of a module and its name"
                                           : fmt::format("to skip them, write {}", function.shown()));
    return true;
  }

  // Returns the filter that skips the modules in a list of names, or an empty string.
  [[nodiscard]] quantizers::ScriptCode filter_for(std::string_view argument, const Value& value) const {
    const auto* list = value.get<source::List>();
    if (list == nullptr || list->empty() || !base::contains(kSkipping, argument)) return {};
    std::vector<std::string> names;
    for (const Value& each : *list) {
      const auto* text = each.get<std::string>();
      if (text == nullptr || text->find_first_of("\"\\") != std::string::npos) return {};
      names.push_back(*text);
    }
    return skipping_filter(context_.file, names);
  }

  // Reports a filter that can't be called with a module and its name. Returns false after a report.
  bool check_parameters() {
    const Filter& filter = *out_.filter;
    if (filter.accepts_both()) return true;
    out_.evaluated.insert(filter.use());
    std::vector<std::string> names = filter.parameters();
    if (names.empty()) names.emplace_back("module");
    if (names.size() < 2) names.emplace_back(names.front() == "name" ? "fqn" : "name");
    const std::string parameters = fmt::format("{}, {}", names[0], names[1]);
    context_.sink.report(diag::torchao_filter_parameters, filter.place_of_parameters())
        .with_help(fmt::format("write `{}`", filter.with_parameters(parameters)));
    return false;
  }

  // Returns the unit as the call names it.
  [[nodiscard]] model::Module named(const model::Module& unit) const {
    model::Module out = unit;
    if (!program_.compiled.empty()) out.name = compiled_name(unit.name);
    return out;
  }

  // Returns true if the targets are checked: those of a preparation and of layers that are not prepared are not.
  [[nodiscard]] bool is_checked(std::size_t unit) const {
    const Config* all = out_.all();
    const Step step = all == nullptr ? Step::none : all->step;
    return step == Step::none || (step == Step::convert && unit < prepared_.size() && prepared_[unit]);
  }

  // `quantize_` asks the filter for every module, beginning with the model itself.
  void read_filtered() {
    const Filter& filter = *out_.filter;
    std::vector<model::Module> all = units_;
    const bool added = all.empty() || !all.front().name.empty();
    if (added) all.insert(all.begin(), model::Module{"", "", std::nullopt});
    const bool has_shapes =
        units_.empty() || std::ranges::any_of(all, [](const model::Module& unit) { return unit.shape.has_value(); });
    TargetCheck targets(context_, out_.config, all, &filter, has_shapes);
    std::vector<DecidedUnit> decided;
    const ir::Decisions::Decision selected{.kind = ir::Rule::Kind::assigns};
    for (std::size_t at = 0; at < all.size(); ++at) {
      const model::Module& unit = all[at];
      const bool parameter = unit.type == kParameterType;
      const auto selects = parameter ? std::optional(false) : filter.selects(named(unit));
      DecidedUnit& out = decided.emplace_back();
      out.unknown = !selects && unit.type == "Linear";
      out.reached = selects.value_or(out.unknown);
      if (selects == true) out.scheme = 0;
      if (selects == true && is_checked(at - (added ? 1 : 0))) targets.check(selected, unit);
    }
    out_.valid = targets.finish();
    const bool explained = !units_.empty() && (report_order(all, decided) || report_compiled(all, decided) ||
                                               report_inverted(all, decided));
    if (!explained) report_unmatched();
    if (!out_.valid || units_.empty()) return;
    if (added) decided.erase(decided.begin());
    out_.assign = lowered(out_.config, kLinearLayers, kOwnMap);
    const bool unknown = out_.assign->selection.unknown;
    out_.assign->selection = decided_selection(&kFiltered, decided);
    out_.assign->selection.unknown = out_.assign->selection.unknown || unknown;
    if (std::ranges::none_of(decided, &DecidedUnit::unknown)) out_.evaluated.insert(filter.use());
  }

  // Reports a filter that selects layers only if it gets the name first.
  bool report_order(const std::vector<model::Module>& all, const std::vector<DecidedUnit>& decided) {
    const Filter& filter = *out_.filter;
    const std::vector<std::string> names = filter.parameters();
    const auto selects = [](const DecidedUnit& unit) { return unit.scheme.has_value(); };
    if (names.size() != 2 || std::ranges::any_of(decided, selects)) return false;
    const bool swapped = std::ranges::any_of(all, [&](const model::Module& unit) {
      return is_linear(unit) && filter.selects_by_name_first(named(unit)) == true;
    });
    if (!swapped) return false;
    context_.sink.report(diag::torchao_filter_order, filter.place_of_parameters(), names[0])
        .with_help(fmt::format("write `{}`", filter.with_parameters(fmt::format("{}, {}", names[1], names[0]))))
        .with_fix(diag::Fix::unsafe().replace(filter.place_of_parameters(), fmt::format("{}, {}", names[1], names[0])));
    return true;
  }

  // Reports a filter that selects layers only by their names before `torch.compile`.
  bool report_compiled(const std::vector<model::Module>& all, const std::vector<DecidedUnit>& decided) {
    const Filter& filter = *out_.filter;
    const auto selects = [](const DecidedUnit& unit) { return unit.scheme.has_value() || unit.unknown; };
    if (program_.compiled.empty() || std::ranges::any_of(decided, selects)) return false;
    const bool before = std::ranges::any_of(
        all, [&](const model::Module& unit) { return is_linear(unit) && filter.selects(unit) == true; });
    if (before) report_compiled_names(context_, filter.use(), "the filter", program_.compiled);
    return before;
  }

  // Returns the index in a name, "10" in "layers.10.mlp"; empty outside of blocks.
  static std::string_view block_in(std::string_view name) {
    const auto begin = std::ranges::find_if(name, base::is_digit);
    return {begin, std::find_if_not(begin, name.end(), base::is_digit)};
  }

  // Returns true for a layer that is often kept: outside of blocks, such as the output head, or in the first or last.
  static bool is_often_kept(std::string_view name, std::string_view last_block) {
    const std::string_view block = block_in(name);
    return block.empty() || block == "0" || block == last_block;
  }

  // Reports a filter that selects only a few layers that are often kept, and names them as layers to keep.
  bool report_inverted(const std::vector<model::Module>& all, const std::vector<DecidedUnit>& decided) {
    constexpr std::size_t kFew = 10;  // at most one of so many layers
    const Filter& filter = *out_.filter;
    std::vector<std::string_view> selected;
    std::size_t layers = 0;
    std::string_view last_block;
    for (const model::Module& unit : all) {
      if (const std::string_view block = block_in(unit.name); !block.empty()) last_block = block;
    }
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (!is_linear_or_conv1d(all[at])) continue;
      ++layers;
      if (decided[at].unknown || (decided[at].scheme && !is_often_kept(all[at].name, last_block))) return false;
      if (decided[at].scheme) selected.push_back(all[at].name);
    }
    if (selected.empty() || selected.size() * kFew > layers || !filter.names_kept_layers()) return false;
    const std::string shown = selected.size() == 1 ? fmt::format("`{}`", base::printable(selected.front()))
                                                   : fmt::format("{} of {} linear layers", selected.size(), layers);
    const quantizers::ScriptCode code = filter.inverted();
    auto& report = context_.sink.report(diag::torchao_filter_inverted, filter.use(), shown)
                       .with_help(fmt::format("write `filter_fn={}`{}", code.text, code.imports))
                       .explains(diag::blocks_left_out);
    if (context_.file.text(filter.use()).starts_with("lambda") && code.imports.empty())
      report.with_fix(diag::Fix::unsafe().replace(filter.use(), code.text));
    return true;
  }

  void report_unmatched() {
    if (units_.empty()) return;
    const std::vector<std::string_view> layers = names_of_layers(units_);
    for (const source::Located<std::string>& text : out_.filter->unmatched()) {
      const auto near = base::nearest(base::last_part(text.value), layers);
      auto& report = context_.sink.report(diag::torchao_filter_matches_nothing, text.span, text.value);
      if (near) report.with_help(fmt::format("write `{}`", *near));
    }
  }

  // Reads a call without a filter, or with one that can't be evaluated.
  void read_unfiltered(bool unknown_filter) {
    out_.assign = lowered(out_.config, kLinearLayers, program_.compiled.empty() ? kOwnMap : kCompiledMap);
    ir::Assign& assign = *out_.assign;
    // A filter or a part of a map that is not known may select any module.
    if (unknown_filter || out_.config.unknown) {
      for (ir::Rule& rule : assign.selection.rules) rule.unknown = true;
    }
    if (unknown_filter) assign.selection.unknown = true;
    const Config* all = out_.all();
    const bool steps = all != nullptr && all->step != Step::none;
    if (units_.empty()) {
      if (all != nullptr && !steps && !unknown_filter) out_.valid = check_parameter_type(context_, *all);
    } else if (!out_.config.unknown) {
      if (!steps) out_.valid = check_keys(context_, out_.config, assign, units_, program_.compiled);
      if (steps) check_converted();
    }
    if (!out_.valid) out_.assign.reset();
  }

  // Checks the prepared linear layers that a configuration converts.
  void check_converted() {
    TargetCheck targets(context_, out_.config, units_, nullptr, true);
    const ir::Decisions::Decision selected{.kind = ir::Rule::Kind::assigns};
    for (std::size_t at = 0; at < units_.size(); ++at) {
      if (is_linear(units_[at]) && is_checked(at)) targets.check(selected, units_[at]);
    }
    out_.valid = targets.finish();
  }

  const Context& context_;
  const Program& program_;
  const std::vector<model::Module>& units_;
  const std::vector<bool>& prepared_;
  CallReading out_;
};

}  // namespace

CallReading read_call(const Context& context, const Program& program, const std::vector<model::Module>& units,
                      const std::vector<bool>& prepared, const Value& call, source::Span name) {
  return CallReader(context, program, units, prepared).run(call, name);
}

void report_compiled_names(const Context& context, source::Span place, const std::string& what, source::Span compiled) {
  context.sink.report(diag::torchao_compiled_names, place, what)
      .with_label(compiled, "its names begin with `_orig_mod.`");
}

}  // namespace sparsecfg::dialect::torchao
