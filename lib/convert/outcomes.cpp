#include "convert/outcomes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "convert/name_selectors.h"
#include "dialect/back_ends.h"
#include "ir/found_recipe.h"
#include "outcome/difference.h"
#include "outcome/outcome.h"
#include "outcome/words.h"

namespace sparsecfg::convert {

using dialect::ActionStatus;
using dialect::BackEnd;
using dialect::Dialect;
using outcome::Outcome;
using outcome::State;

using Modules = std::vector<model::Module>;

bool writes_outcome(const ir::Recipe& recipe, const Dialect& to) {
  const bool has_back_end = dialect::back_end_of(to) != nullptr;
  if (!has_back_end || to.write == nullptr) return has_back_end;
  const dialect::Plan plan = dialect::plan_of(recipe);
  return !recipe.trains && outcome::has_outcome(recipe) && recipe.dialect != to.name && !plan.layer_schemes &&
         !plan.stage_modifiers;
}

// Returns the back end of the dialect of a recipe, or null.
static const BackEnd* back_end_of(const ir::Recipe& recipe) {
  const Dialect* dialect = dialect::find_dialect(recipe.dialect);
  return dialect == nullptr ? nullptr : dialect::back_end_of(*dialect);
}

// --- equal schemes ----------------------------------------------------------------------------------------------

constexpr std::string_view kMaximumOfAll = "static_minmax";
constexpr std::string_view kMaximumOfWeights[] = {"memoryless_minmax", "static_minmax", "minmax"};

// Weights have one value, so all observers of the maximum are equal. Inputs are observed in each sample.
static void simplify(ir::TensorFormat& format, bool weights, bool stored) {
  const bool maximum =
      weights ? base::contains(kMaximumOfWeights, format.observer) : std::string_view(format.observer) == kMaximumOfAll;
  if (stored || maximum) format.observer.clear();
  if (!weights && format.granularity == ir::Granularity::block && format.block[0] == 1) {
    format.granularity = ir::Granularity::group;
    format.group_size = format.block[1];
  }
  if (format.order == "weight") format.order = "static";
  if (stored && format.order == "static") format.order.clear();  // not stored
}

// Returns a scheme without the parts that do not change its meaning. `stored`: of a saved model, whose scales are
// known.
static ir::Scheme simplified(ir::Scheme scheme, bool stored) {
  for (ir::TensorFormat& format : scheme.weights) simplify(format, true, stored);
  for (ir::TensorFormat& format : scheme.inputs) simplify(format, false, stored);
  for (ir::TensorFormat& format : scheme.outputs) simplify(format, false, stored);
  return scheme;
}

// Returns true if a format has a statistic or an order that only its own system has.
static bool is_plain(const ir::TensorFormat& format, bool may_be_ordered) {
  return format.observer.empty() && (format.order.empty() || may_be_ordered);
}

namespace {

// Formats of a scheme, and how values differ in a recipe that computes them again.
struct Exactness {
  bool exact = false;
  std::string difference;
};

}  // namespace

static Exactness exactness(const ir::Scheme& scheme, const BackEnd& back_end) {
  const bool one = scheme.weights.size() == 1 && scheme.inputs.size() <= 1 && scheme.outputs.empty();
  if (!one || !scheme.storage.empty() || !is_plain(scheme.weights.front(), back_end.orders)) return {};
  if (!scheme.inputs.empty() && !is_plain(scheme.inputs.front(), false)) return {};
  if (back_end.schemes.empty()) return {true, {}};
  const dialect::SchemeRow* row = back_end.find(scheme);
  return row == nullptr ? Exactness() : Exactness{true, std::string(row->difference)};
}

static std::string scheme_text(const ir::Scheme& scheme) {
  std::string out = ir::describe(scheme);
  const auto add = [&](const std::vector<ir::TensorFormat>& formats) {
    for (const ir::TensorFormat& format : formats) {
      if (!format.observer.empty()) out += fmt::format(" ({})", base::printable(format.observer));
      if (!format.order.empty()) out += fmt::format(" (columns in the order `{}`)", base::printable(format.order));
    }
  };
  add(scheme.weights);
  add(scheme.inputs);
  if (!scheme.storage.empty()) out += fmt::format(" (stored as `{}`)", base::printable(scheme.storage));
  return out;
}

// --- unknown values ----------------------------------------------------------------------------------------------

bool ignores_unknown(const ir::Recipe& recipe, const UnknownValue& unknown) {
  const BackEnd* from = back_end_of(recipe);
  const auto is_ignored = [&](const source::Span& part) {
    return std::ranges::any_of(recipe.actions, [&](const ir::Action& action) {
      return std::ranges::any_of(action.origin.fields, [&](const ir::OriginField& field) {
        return base::contains(from->run_fields, field.name) && ir::unknown_in(field.value, {part});
      });
    });
  };
  return from != nullptr && !unknown.parts.empty() && std::ranges::all_of(unknown.parts, is_ignored);
}

// --- names in both systems ------------------------------------------------------------------------------------------

// Pairs the modules of two systems by their names.
static std::vector<std::optional<std::uint32_t>> sources_of(const Modules& source, const Modules& target) {
  std::unordered_map<std::string_view, std::uint32_t> places;
  for (std::uint32_t at = 0; at < source.size(); ++at) places.emplace(source[at].name, at);
  std::vector<std::optional<std::uint32_t>> out;
  for (const model::Module& module : target) {
    const auto found = places.find(module.name);
    out.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
  }
  return out;
}

static bool is_changed(const State& state) { return !state.scheme.is_empty() || !state.order.empty() || state.unknown; }

// Returns a module that the recipe changes and that the other system does not have; null if there is none.
static const model::Module* unpaired(const Outcome& outcome, const Modules& own, const Modules& other) {
  std::set<std::string_view> names;
  for (const model::Module& module : other) names.insert(module.name);
  for (std::size_t at = 0; at < own.size(); ++at) {
    if (is_changed(outcome.at(at)) && !names.contains(own[at].name)) return &own[at];
  }
  return nullptr;
}

// Returns the outcome for the modules of the target, in their order.
static Outcome paired(const Outcome& outcome, const Modules& own, const Modules& target) {
  Outcome out = outcome;
  out.of_names.clear();
  for (const auto& place : sources_of(own, target)) out.of_names.push_back(place ? outcome.of_names[*place] : 0);
  return out;
}

// --- writing ----------------------------------------------------------------------------------------------------

namespace {

// Writes one recipe.
class OutcomeWriter {
 public:
  OutcomeWriter(const ir::Recipe& recipe, const Dialect& to, const BothNames& names, diag::Sink& sink)
      : recipe_(recipe),
        to_(to),
        target_(*dialect::back_end_of(to)),
        from_(back_end_of(recipe)),
        names_(names),
        sink_(sink) {
    for (std::size_t at = 0; at < recipe.actions.size(); ++at) out_.statuses.emplace_back().action = at;
  }

  dialect::WriteResult run() {
    if (!outcome::has_outcome(recipe_) || recipe_.trains) {
      refuse_all("only recipes that assign schemes to the layers of a trained model can be written");
      return std::move(out_);
    }
    if (names_.source == nullptr || names_.target == nullptr) {
      refuse_all("its layers depend on the model; pass `--model`");
      return std::move(out_);
    }
    const Modules& own = outcome::names_of(recipe_, *names_.source);
    const Outcome outcome = outcome::evaluate(recipe_, *names_.source);
    if (!is_known(outcome) || !check_saved() || !check_actions(outcome) || !check_names(outcome, own)) {
      return std::move(out_);
    }
    write(paired(outcome, own, *names_.target));
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool to_result() const { return target_.is_result; }

  void refuse(std::size_t action, std::string reason) {
    refused_ = true;
    ActionStatus& status = out_.statuses[action];
    if (status.kind == ActionStatus::Kind::dropped) return;
    dialect::drop(status, recipe_.actions[action], to_.title, std::move(reason), sink_);
  }

  void refuse_all(const std::string& reason) {
    for (std::size_t at = 0; at < recipe_.actions.size(); ++at) refuse(at, reason);
  }

  bool is_known(const Outcome& outcome) {
    const auto is_unknown = [&](std::uint32_t state) { return outcome.states[state].unknown; };
    const bool unknown = std::ranges::any_of(outcome.of_names, is_unknown);
    if (!outcome.complete || unknown || recipe_.incomplete) {
      refuse_all(outcome.complete ? "it has parts that are known only when it runs"
                                  : "its patterns are too many for the model");
    }
    return !refused_;
  }

  // The tensors of a saved model keep their layout.
  bool check_saved() {
    if (!recipe_.is_result || !to_result()) return true;
    if (from_ == nullptr || from_->tensors.empty()) {
      refuse_all("the tensors of the saved model have another layout");
    } else {
      out_.instructions.emplace_back(from_->tensors);
    }
    return !refused_;
  }

  // Checks the operations that decide, and the fields of their actions.
  bool check_actions(const Outcome& outcome) {
    std::set<std::uint32_t> used;
    for (const std::uint32_t at : std::set(outcome.of_names.begin(), outcome.of_names.end())) {
      const State& state = outcome.states[at];
      if (!state.scheme.is_empty()) used.insert(state.assigned->by.action);
      for (const outcome::Step& step : state.order) check_operation(outcome, step);
      if (state.cached) used.insert(state.cached->by.action);
    }
    for (const std::uint32_t action : used) check_fields(action);
    if (!refused_ && used.empty()) refuse_all("it quantizes no layer of the model");
    return !refused_;
  }

  void check_operation(const Outcome& outcome, const outcome::Step& step) {
    const ir::Method& method = outcome.method(step);
    if (outcome.as<ir::Assign>(step) == nullptr && outcome.as<ir::CacheScheme>(step) == nullptr) {
      return refuse(step.by.action, fmt::format("{} has no exact counterpart", method.text()));
    }
    if (from_ != nullptr && from_->settings_in_method) check_settings(method.settings, step.by.action);
    const std::string_view shared = method.name.empty() ? "rtn" : shared_name(from_, method.name);
    if (recipe_.is_result && (shared.empty() || method.name.empty())) return;
    if (shared.empty() || (!to_result() && own_name(shared).empty())) {
      return refuse(step.by.action, fmt::format("the method {} has no exact counterpart", method.text()));
    }
    if (!method_.empty() && method_ != shared) {
      return refuse(step.by.action, "the layers are quantized by several methods");
    }
    method_ = shared;
  }

  static std::string_view shared_name(const BackEnd* from, std::string_view own) {
    if (from == nullptr) return {};
    const auto found = std::ranges::find(from->methods, own, &dialect::MethodRow::own);
    return found == from->methods.end() ? std::string_view() : found->shared;
  }

  [[nodiscard]] std::string_view own_name(std::string_view shared) const {
    const auto& rows = target_.methods;
    const auto found = std::ranges::find(rows, shared, &dialect::MethodRow::shared);
    return found == rows.end() ? std::string_view() : found->own;
  }

  void check_settings(const std::vector<ir::MethodSetting>& settings, std::size_t action) {
    for (const ir::MethodSetting& each : settings) {
      if (base::contains(from_->known_fields, each.name)) continue;
      refuse(action, fmt::format("the setting `{}` has no counterpart", base::printable(each.name)));
    }
  }

  // A field that is neither a part of the outcome nor a setting of the target may change values.
  void check_fields(std::size_t action) {
    if (recipe_.is_result || from_ == nullptr || to_result()) return;
    std::set<std::string> lost;
    for (const ir::OriginField& field : recipe_.actions[action].origin.fields) {
      add_lost(field.name, field.value, lost);
    }
    if (!lost.empty()) {
      refuse(action, fmt::format("`{}` {} no counterpart", fmt::join(lost, "`, `"), lost.size() == 1 ? "has" : "have"));
    }
    add_settings(recipe_.actions[action].origin);
  }

  void add_lost(const std::string& name, const source::Value& value, std::set<std::string>& lost) const {
    const auto is_row = [&](const dialect::SettingRow& row) { return row.own == name; };
    const auto is_exact = [&](const dialect::SettingRow& row) {
      return is_row(row) && (!row.shared.empty() || row.otherwise == source::python_str(value));
    };
    const bool setting = std::ranges::any_of(from_->settings, is_exact);
    if (value.is_null() && std::ranges::none_of(from_->settings, is_row)) return;
    if (base::contains(from_->run_fields, name)) return;
    if (!setting && !base::contains(from_->known_fields, name)) {
      lost.insert(base::printable(name));
    } else {
      add_lost_inside(value, base::contains(from_->maps, name), lost);
    }
  }

  void add_lost_inside(const source::Value& value, bool by_module, std::set<std::string>& lost) const {
    if (const auto* list = value.get<source::List>()) {
      for (const source::Value& item : *list) add_lost_inside(item, by_module, lost);
    }
    const auto* map = value.get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const auto& [key, item] = (*map)[at];
      if (by_module) {
        add_lost_inside(item, false, lost);
      } else {
        add_lost(source::python_str(key), item, lost);
      }
    }
  }

  // Adds the settings that the target has under another name, or with another default.
  void add_settings(const ir::Origin& origin) {
    for (const dialect::SettingRow& row : from_->settings) {
      const auto& rows = target_.settings;
      const auto target = std::ranges::find(rows, row.shared, &dialect::SettingRow::shared);
      const source::Value* given = origin.given(row.own);
      const std::string value = given == nullptr ? std::string(row.otherwise) : source::python_str(*given);
      if (row.shared.empty() || target == rows.end() || target->method != method_ || target->otherwise == value)
        continue;
      const ir::MethodSetting setting{std::string(target->own), value};
      if (std::ranges::find(settings_, setting) == settings_.end()) settings_.push_back(setting);
    }
  }

  bool check_names(const Outcome& outcome, const Modules& own) {
    if (const model::Module* module = unpaired(outcome, own, *names_.target)) {
      refuse_all(fmt::format("{} has no module `{}`", to_.title, base::printable(module->name)));
    }
    return !refused_;
  }

  void write(const Outcome& outcome) {
    dialect::GroupedOutcome grouped{*names_.target, {}, {}, {}, {}};
    std::vector<std::uint32_t> first;  // the state of the first module of each group
    GroupNumbers numbers(names_.target->size(), kNoGroup);
    std::vector<std::size_t> sizes;
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      const State& state = outcome.at(at);
      if (state.scheme.is_empty()) continue;
      const ir::Scheme scheme = simplified(state.scheme, recipe_.is_result);
      const auto known = std::ranges::find(grouped.groups, scheme, &dialect::ModuleGroup::scheme);
      numbers[at] = static_cast<std::size_t>(known - grouped.groups.begin());
      if (known == grouped.groups.end()) {
        grouped.groups.push_back({scheme, {}, true});
        sizes.push_back(0);
        check_scheme(scheme, outcome, state);
      }
      ++sizes[numbers[at]];
      dialect::ModuleGroup& group = grouped.groups[numbers[at]];
      group.linear = group.linear && (*names_.target)[at].type == "Linear";
    }
    if (!find_cache(outcome, grouped) || refused_) return;
    sort_groups(grouped, numbers, sizes);
    add_selectors(grouped, numbers);
    grouped.method = method_.empty() ? own_name("rtn") : own_name(method_);
    grouped.settings = settings_;
    out_.text = target_.write(grouped);
    state_differences();
  }

  void check_scheme(const ir::Scheme& scheme, const Outcome& outcome, const State& state) {
    const ir::Rule* rule = outcome.rule(state.assigned->by);
    for (const BackEnd* side : {from_, &target_}) {
      if (side == nullptr) continue;
      const Exactness found = exactness(scheme, *side);
      if (!found.exact) {
        const std::string entry =
            rule == nullptr || rule->entry.empty() ? "" : fmt::format(" of `{}`", base::printable(rule->entry));
        return refuse(state.assigned->by.action,
                      fmt::format("the scheme{} ({}) has no exact counterpart", entry, scheme_text(scheme)));
      }
      if (!found.difference.empty() && !to_result()) differences_[state.assigned->by.action].insert(found.difference);
    }
  }

  // All attention modules have the same cache, or none has one.
  bool find_cache(const Outcome& outcome, dialect::GroupedOutcome& grouped) {
    for (const std::uint32_t at : std::set(outcome.of_names.begin(), outcome.of_names.end())) {
      const State& state = outcome.states[at];
      if (!state.cached) continue;
      const auto* cache = outcome.as<ir::CacheScheme>(*state.cached);
      ir::TensorFormat format = cache->keys.value_or(ir::TensorFormat());
      const bool same = cache->keys == cache->values && (!grouped.cache || grouped.cache == format);
      simplify(format, false, recipe_.is_result);
      const auto fits = [&](const BackEnd* side) {
        return side == nullptr || (side->cache && side->cache->contains(format));
      };
      if (!same || !is_plain(format, false) || !fits(from_) || !fits(&target_)) {
        refuse(state.cached->by.action,
               fmt::format("the cache ({}) has no exact counterpart", outcome::cache_text(*cache)));
        return false;
      }
      grouped.cache = format;
    }
    return true;
  }

  // Sorts groups by size, the largest first.
  static void sort_groups(dialect::GroupedOutcome& grouped, GroupNumbers& numbers,
                          const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    std::vector<dialect::ModuleGroup> groups;
    std::vector<std::size_t> places(order.size());
    for (const std::size_t at : order) {
      places[at] = groups.size();
      groups.push_back(std::move(grouped.groups[at]));
    }
    grouped.groups = std::move(groups);
    for (std::size_t& number : numbers) {
      if (number != kNoGroup) number = places[number];
    }
  }

  void add_selectors(dialect::GroupedOutcome& grouped, GroupNumbers& numbers) const {
    const std::size_t plain = grouped.groups.size();
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      if (numbers[at] == kNoGroup && (*names_.target)[at].type == "Linear") numbers[at] = plain;
    }
    auto selectors = name_selectors(*names_.target, numbers, plain + 1, plain);
    for (std::size_t at = 0; at < plain; ++at) grouped.groups[at].selectors = std::move(selectors[at]);
    grouped.plain.selectors = std::move(selectors[plain]);
  }

  void state_differences() {
    if (recipe_.is_result && !to_result()) {
      for (std::size_t at = 0; at < recipe_.actions.size(); ++at) {
        differences_[at].insert("the file does not tell how the scales were computed, such as by GPTQ or AWQ");
      }
    }
    for (const auto& [action, texts] : differences_) {
      for (const std::string& text : texts) {
        dialect::approximate(out_.statuses[action], recipe_.actions[action], text, sink_);
      }
    }
  }

  const ir::Recipe& recipe_;
  const Dialect& to_;
  const BackEnd& target_;
  const BackEnd* from_;
  const BothNames& names_;
  diag::Sink& sink_;
  dialect::WriteResult out_;
  bool refused_ = false;
  std::string_view method_;  // the shared name; empty: not stated
  std::vector<ir::MethodSetting> settings_;
  std::map<std::size_t, std::set<std::string>> differences_;  // by action
};

// Returns the outcome with the parts that change its meaning, for a recipe without units.
Outcome comparable(Outcome outcome, const ir::Recipe& plain, bool stored) {
  outcome.recipe = &plain;
  for (State& state : outcome.states) state.scheme = simplified(std::move(state.scheme), stored);
  return outcome;
}

// Returns the recipe without names of methods, which the writer has compared.
ir::Recipe without_methods(const ir::Recipe& recipe) {
  ir::Recipe out = recipe;
  out.units = {};
  for (ir::Action& action : out.actions) {
    for (ir::Operation& operation : action.operations) {
      std::visit([](auto& each) { each.method = {}; }, operation);
    }
  }
  return out;
}

}  // namespace

dialect::WriteResult write_outcome(const ir::Recipe& recipe, const Dialect& to, const BothNames& names,
                                   diag::Sink& sink) {
  return OutcomeWriter(recipe, to, names, sink).run();
}

std::optional<Fault> outcome_fault(const ir::Recipe& recipe, const ir::Recipe& back, const BothNames& names) {
  const Modules& own = outcome::names_of(recipe, *names.source);
  const Modules& other = outcome::names_of(back, *names.target);
  const Outcome before = outcome::evaluate(recipe, *names.source);
  const Outcome after = outcome::evaluate(back, *names.target);
  for (const model::Module* module : {unpaired(before, own, *names.target), unpaired(after, other, *names.target)}) {
    if (module != nullptr)
      return Fault{Fault::Kind::inexact, fmt::format("`{}` changes", base::printable(module->name))};
  }
  const ir::Recipe one = without_methods(recipe);
  const ir::Recipe two = without_methods(back);
  const bool stored = recipe.is_result || back.is_result;
  const outcome::Difference found =
      outcome::difference(comparable(paired(before, own, *names.target), one, stored),
                          comparable(paired(after, other, *names.target), two, stored), *names.target);
  if (found.same()) return std::nullopt;
  return Fault{Fault::Kind::inexact, found.changes.empty() ? found.not_compared.front() : found.changes.front().what};
}

}  // namespace sparsecfg::convert
