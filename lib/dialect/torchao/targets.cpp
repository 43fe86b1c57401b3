#include "dialect/torchao/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/serialized.h"
#include "dialect/torchao/types.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::torchao {

DIAGNOSTIC(TA105, torchao_cannot_apply, error, (Text, Text), "`{}` cannot be applied to a layer: {}",
           "The constructor accepts the value, but the transformation of the first layer fails.",
           "write the default, or delete the field")

DIAGNOSTIC(
    TA202, torchao_no_weight, error, (Text, Text), "`{}` matches `{}`, which has no weight",
    "The transformation requires a parameter. It stops at containers, activations and other modules without one.",
    "end the pattern with the names of layers, such as `re:.*_proj`")

DIAGNOSTIC(TA208, torchao_other_target, warning, (Text, Text, Text), "`{}` also quantizes `{}`, a {}",
           "A key selects modules of any class. Norms, embeddings and routers are changed without a message.",
           "end the pattern with the names of layers, such as `re:.*_proj`")

DIAGNOSTIC(TA212, torchao_shape_skipped, silent_warning, (Text, Text, std::uint64_t),
           "torchao skips {}: {} are no multiple of {}",
           "torchao skips a layer if the group size does not divide its columns, and a layer with float8 inputs if its "
           "rows or columns are no multiple of 16. It does not warn.",
           "write a group size that divides the columns")

bool is_linear_or_conv1d(const model::Module& unit) { return is_linear(unit) || unit.type == "Conv1D"; }

const Config* applied_to(const Configuration& config, const ir::Decisions::Decision& decision) {
  const auto& chosen = decision.rule ? config.entries[*decision.rule].config : config.all;
  return chosen ? &*chosen : nullptr;
}

bool is_unfit(const Configuration& config, const ir::Decisions::Decision& decision, const model::Module& unit) {
  const Config* applied = applied_to(config, decision);
  const bool left = decision.reason != ir::Decisions::Reason::not_reached && decision.kind == ir::Rule::Kind::leaves;
  return left && applied != nullptr && !fits(scheme_of(*applied), unit);
}

source::Span TargetCheck::place_of(const ir::Decisions::Decision& decision) const {
  return decision.rule ? config_.entries[*decision.rule].span : filter_ != nullptr ? filter_->place() : config_.span;
}

std::string TargetCheck::key_of(const ir::Decisions::Decision& decision) const {
  return decision.rule        ? config_.entries[*decision.rule].key
         : filter_ != nullptr ? "filter_fn"
                              : std::string(kQuantize.name);
}

void TargetCheck::check(const ir::Decisions::Decision& decision, const model::Module& unit) {
  const Config& applied = *applied_to(config_, decision);
  const std::uint32_t number = decision.rule.value_or(UINT32_MAX);
  const bool linear = is_linear_or_conv1d(unit);
  const bool parameter = unit.type == kParameterType;
  if (has_shapes_ && !parameter && !unit.shape && !linear) {
    if (reported_.emplace(number, Mistake::no_weight).second) {
      auto& report = context_.sink.report(diag::torchao_no_weight, place_of(decision), key_of(decision),
                                          unit.name.empty() ? unit.type : unit.name);
      advise_on_filter(report);
      if (decision.rule) advise_on_pattern(report, key_of(decision), *decision.rule);
    }
    reported_.emplace(number, Mistake::target);  // the same advice
    valid_ = false;
  } else if (const auto rejection = rejection_of(applied)) {
    if (reported_.emplace(number, Mistake::values).second)
      context_.sink
          .report(diag::torchao_cannot_apply, rejection->place,
                  applied.spec == nullptr ? key_of(decision) : std::string(applied.spec->name), rejection->why)
          .with_help(rejection->help);
    valid_ = false;
  } else if (const auto unfit = unfit_dimensions(applied, unit)) {
    if (reported_.emplace(number, Mistake::dimensions).second)
      context_.sink.report(diag::torchao_cannot_apply, place_of(decision), applied.spec->name, unfit->why)
          .with_help(unfit->help);
    valid_ = false;
  } else if (const auto misfit = misfit_of(applied, unit)) {
    add_unfit(decision, unit, *misfit);
  } else {
    check_type(applied, number);
    if (linear || parameter || !reported_.emplace(number, Mistake::target).second) return;
    auto& report =
        context_.sink.report(diag::torchao_other_target, place_of(decision), key_of(decision), unit.name, unit.type);
    advise_on_filter(report);
    if (decision.rule) advise_on_pattern(report, key_of(decision), *decision.rule);
  }
}

void TargetCheck::check_type(const Config& applied, std::uint32_t number) {
  if (context_.type.value.empty() || !reported_.emplace(number, Mistake::type).second) return;
  if (!check_parameter_type(context_, applied)) valid_ = false;
}

// --- shapes ---------------------------------------------------------------------------------------------

void TargetCheck::check_shape(const ir::Decisions::Decision& decision, const model::Module& unit) {
  const Config* applied = applied_to(config_, decision);
  const auto misfit = applied == nullptr ? std::nullopt : misfit_of(*applied, unit);
  if (misfit) add_unfit(decision, unit, *misfit);
}

void TargetCheck::add_unfit(const ir::Decisions::Decision& decision, const model::Module& unit,
                            const Misfitting& misfit) {
  Unfit& unfit = unfit_[decision.rule.value_or(UINT32_MAX)];
  if (unfit.names.empty()) unfit.first = misfit;
  unfit.names.push_back(unit.name);
  if (misfit.multiple == unfit.first.multiple && misfit.rows == unfit.first.rows) unfit.sizes.insert(misfit.size);
}

bool TargetCheck::finish() {
  for (const auto& [number, unfit] : unfit_) {
    if (unfit.first.stops) valid_ = false;
    report_unfit(number, unfit);
  }
  unfit_.clear();
  return valid_;
}

static const source::Value* granularity_in(const Config& config) {
  for (const std::string_view field : {"granularity", "weight_granularity"}) {
    if (const source::Value* value = config.data.given(field)) return value;
  }
  return nullptr;
}

void TargetCheck::report_unfit(std::uint32_t number, const Unfit& unfit) {
  const bool in_map = number != UINT32_MAX;
  const Config& config = in_map ? *config_.entries[number].config : *config_.all;
  const std::string_view sides = unfit.first.rows ? "rows" : "columns";
  const source::Value* granularity = granularity_in(config);
  if (unfit.first.stops) {
    const std::string why = fmt::format("{} {} of `{}` are no multiple of {}", unfit.first.size, sides,
                                        base::printable(unfit.names.front()), unfit.first.multiple);
    const source::Span place = in_map                   ? config_.entries[number].span
                               : granularity != nullptr ? granularity->span
                                                        : config.span;
    context_.sink.report(diag::torchao_cannot_apply, place, config.spec->name, why)
        .with_help(help_for(config, unfit, in_map));
    return;
  }
  std::vector<std::string> sizes;
  for (const std::uint64_t each : unfit.sizes) sizes.push_back(std::to_string(each));
  const std::string layers =
      fmt::format("{} such as `{}`", base::counted(unfit.names.size(), "layer"), base::printable(unfit.names.front()));
  context_.sink
      .report(diag::torchao_shape_skipped, config.span, layers, fmt::format("{} {}", base::join_and(sizes), sides),
              unfit.first.multiple)
      .with_help(help_for(config, unfit, in_map));
}

// Returns a group size that divides all columns, or 0.
static std::uint64_t dividing_group(const std::set<std::uint64_t>& columns, std::uint64_t most) {
  for (const std::uint64_t size : {256U, 128U, 64U, 32U}) {
    const auto divides = [&](std::uint64_t each) { return each % size == 0; };
    if (size <= most && std::ranges::all_of(columns, divides)) return size;
  }
  return 0;
}

// Advises another group size or, for a class without one, to leave the layers out.
std::string TargetCheck::help_for(const Config& config, const Unfit& unfit, bool in_map) const {
  const source::Value* granularity = granularity_in(config);
  const std::string* type = granularity == nullptr ? nullptr : type_of(*granularity);
  const bool groups = type != nullptr && *type == "PerGroup";
  const bool sized = config.spec->find("group_size") != nullptr && granularity == nullptr;
  const std::uint64_t group = unfit.first.rows ? 0 : dividing_group(unfit.sizes, unfit.first.multiple);
  if (group != 0 && groups) return fmt::format("write `PerGroup({})`", group);
  if (group != 0 && sized) return fmt::format("write `group_size={}`", group);
  if (in_map) return fmt::format("keep `{}` out of the map", base::printable(unfit.names.front()));
  const std::string part = part_of_names(unfit.names);
  return part.empty() ? "leave the layer out with `filter_fn`" : filter_without(context_.file, {part}, filter_);
}

// Returns the part of all of these names that is in the fewest names of other linear layers; empty if there is none.
std::string TargetCheck::part_of_names(const std::vector<std::string>& names) const {
  std::string best;
  std::size_t fewest = SIZE_MAX;
  const std::set<std::string_view> own(names.begin(), names.end());
  for (std::string_view rest = names.front(); !rest.empty();) {
    const std::string part(rest.substr(0, rest.find('.')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const bool number = std::ranges::all_of(part, base::is_digit);
    const auto has_part = [&](std::string_view name) { return name.find(part) != std::string_view::npos; };
    if (number || !std::ranges::all_of(names, has_part)) continue;
    const auto others = static_cast<std::size_t>(std::ranges::count_if(units_, [&](const model::Module& unit) {
      return is_linear_or_conv1d(unit) && has_part(unit.name) && !own.contains(unit.name);
    }));
    if (others < fewest) best = part;
    fewest = std::min(fewest, others);
  }
  return best;
}

std::vector<std::string_view> names_of_layers(const std::vector<model::Module>& units) {
  std::set<std::string_view> out;
  for (const model::Module& unit : units) {
    if (is_linear_or_conv1d(unit)) out.insert(base::last_part(unit.name));
  }
  return {out.begin(), out.end()};
}

// Returns the condition that the parameter `name` of a filter has none of the parts.
static std::string lacks(const std::string& name, const std::vector<std::string>& parts) {
  std::vector<std::string> tests;
  for (const std::string& part : parts) tests.push_back(fmt::format("\"{}\" not in {}", part, name));
  return fmt::format("{}", fmt::join(tests, " and "));
}

quantizers::ScriptCode skipping_filter(const source::SourceFile& file, const std::vector<std::string>& parts) {
  return code_for(file, fmt::format("lambda module, name: isinstance(module, nn.Linear) and {}", lacks("name", parts)));
}

std::string filter_without(const source::SourceFile& file, const std::vector<std::string>& parts,
                           const Filter* filter) {
  if (filter == nullptr) {
    const quantizers::ScriptCode skipping = skipping_filter(file, parts);
    return fmt::format("add `filter_fn={}`{}", skipping.text, skipping.imports);
  }
  const std::vector<std::string> parameters = filter->parameters();
  return fmt::format("add `and {}` to the filter", lacks(parameters.size() >= 2 ? parameters[1] : "name", parts));
}

// --- advice ---------------------------------------------------------------------------------------------

// Advises to test for linear layers in the filter.
void TargetCheck::advise_on_filter(diag::Diagnostic& report) const {
  if (filter_ == nullptr) return;
  const quantizers::ScriptCode code = filter_->only_linear();
  if (code.text.empty()) {
    const quantizers::ScriptCode test = filter_->test_for_linear();
    report.with_help(
        fmt::format("begin the function with `if not {}: return False`{}: it replaces the test for linear layers",
                    test.text, test.imports));
    return;
  }
  report.with_help(fmt::format("write {}: a filter replaces the test for linear layers", code.shown()));
  if (code.imports.empty()) report.with_fix(diag::Fix::unsafe().replace(filter_->place(), code.text));
}

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
void TargetCheck::advise_on_pattern(diag::Diagnostic& report, const std::string& key, std::uint32_t rule) const {
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
void TargetCheck::advise_on_container(diag::Diagnostic& report, const std::string& key) const {
  const std::string pattern = key.substr(std::string_view("re:").size());
  const model::Matcher containers(fmt::format("(?:{})$", pattern));
  std::set<std::string, std::less<>> names;
  for (const model::Module& unit : units_) {
    const std::string_view last = base::last_part(unit.name);
    const bool inner = is_linear_or_conv1d(unit) && last.size() < unit.name.size();
    const auto parent = std::string_view(unit.name).substr(0, inner ? unit.name.size() - last.size() - 1 : 0);
    if (inner && containers.match(parent) == regex::Match::yes) names.emplace(last);
  }
  constexpr std::size_t kMost = 8;
  if (names.empty() || names.size() > kMost) return;
  const std::string text = names.size() == 1 ? fmt::format("{}\\.{}", key, *names.begin())
                                             : fmt::format("{}\\.({})", key, fmt::join(names, "|"));
  report.with_help(fmt::format("write `{}`", text)).with_fix(diag::Fix::unsafe().content(report.span, text));
}

}  // namespace sparsecfg::dialect::torchao
