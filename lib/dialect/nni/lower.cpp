#include "dialect/nni/read.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <unordered_set>

#include "base/number.h"
#include "dialect/nni/config.h"
#include "dialect/nni/schedule.h"
#include "dialect/nni/selectors.h"

namespace sparsecfg::dialect::nni {

using source::Located;
using source::Map;
using source::Value;

// Targets of an entry with the same target ratio.
struct Goal {
  Located<double> ratio;
  std::vector<const Target*> targets;
};

class Lowering {
 public:
  // `groups` belong to the compressor, `targets` to the entry.
  Lowering(const Compressor& compressor, const Entry& entry, const GlobalGroups& groups,
           std::vector<const Target*> targets, const Context& context)
      : compressor_(compressor), entry_(entry), groups_(groups), targets_(std::move(targets)), context_(context) {}

  ir::Action action() const {
    ir::Action action{effect(), cadence(), origin(), entry_.valid && compressor_.valid};
    return action;
  }

 private:
  static std::optional<UnevenGoals> uneven_of(const Compressor& compressor, const std::vector<Goal>& goals) {
    return compressor.valid && goals.size() == 1 ? uneven_goals_of(compressor) : std::nullopt;
  }

  bool counts_epochs() const {
    return release_of(context_.options) == Release::v1 && has(*entry_.written, "final_sparsity");
  }

  std::optional<EpochSchedule> epochs() const {
    return counts_epochs() && entry_.valid ? epochs_of(*entry_.written) : std::nullopt;
  }

  ir::Cadence cadence() const {
    if (const auto schedule = epochs()) {
      return schedule->cadence;
    }
    ir::StepSchedule counted = !compressor_.valid ? ir::StepSchedule{}
                               : uneven_          ? uneven_->schedule
                                                  : counted_of(compressor_);
    if (is_uneven(compressor_) && !uneven_) {
      counted.times = 0;
    }
    if (counted.times > 0) counted.first += compressor_.earlier_steps;
    return {.start = {-1, first_update_place()}, .rhythm = ir::Counted{counted}};
  }

  // An inner pruner masks after `training_steps` of each interval.
  source::Span first_update_place() const {
    const Value* steps = compressor_.inner ? find_value(compressor_.inner->arguments, "training_steps") : nullptr;
    return steps == nullptr ? source::Span{} : steps->span;
  }

  // Uneven updates are listed for one ratio. For an entry with several ratios, the curve is unknown.
  ir::SparsityCurve curve(double ratio) const {
    if (uneven_) {
      ir::PiecewiseConstant stairs{{0.0, {}}, {}};
      for (std::size_t at = 0; at < uneven_->shares.size(); ++at) {
        if (at == 0 || uneven_->shares[at] != uneven_->shares[at - 1])
          stairs.stairs.push_back({static_cast<double>(at + 1), {uneven_->shares[at] * ratio, {}}});
      }
      return stairs;
    }
    const auto schedule = epochs();
    return schedule ? schedule->curve : curve_of(compressor_);
  }

  // --- effects -----------------------------------------------------------------------------------------

  ir::Effect effect() const {
    switch (compressor_.mode) {
      case Mode::pruning: return pruning();
      case Mode::quantization: return quantization();
      case Mode::distillation: {
        return distillation();
      }
    }
    return ir::Opaque{};
  }

  // The sparsity of a threshold depends on the weights, so it is unknown.
  ir::Effect pruning() const {
    std::vector<Goal> goals = goals_of_targets();
    if (goals.empty()) {
      return without_number();
    }
    ir::Prune prune;
    prune.curve = curve(goals.front().ratio.value);
    prune.structure = structure_of(compressor_, *goals.front().targets.front());
    prune.criterion = compressor_.mask_class() == nullptr ? "" : std::string(compressor_.mask_class()->criterion);
    const Target& first = *goals.front().targets.front();
    if (const Value* pool = first.get("global_group_id"); pool != nullptr && !groups_.bound_of(first)) {
      prune.global = true;
      prune.pool = source::python_str(*pool);
    }
    prune.mask_groups = mask_groups();
    for (const Goal& goal : goals) {
      ir::Target target{goal.ratio, selector(goal.targets)};
      if (prune.global) {
        target.min = bound(goal, "min_sparse_ratio");
        target.max = bound(goal, "max_sparse_ratio");
      }
      prune.targets.push_back(std::move(target));
    }
    prune.followers = followers(goals);
    return prune;
  }

  // Returns modules whose targets with a ratio belong to other entries.
  std::optional<model::Selector> followers(const std::vector<Goal>& goals) const {
    std::vector<const Target*> rated;
    for (const Goal& goal : goals) rated.insert(rated.end(), goal.targets.begin(), goal.targets.end());
    return others_than(rated);
  }

  // Returns a selector for targets in modules without any of `targets`.
  std::optional<model::Selector> others_than(const std::vector<const Target*>& targets) const {
    std::set<std::string_view> rated;
    for (const Target* target : targets) rated.insert(target->module.name);
    std::vector<const Target*> rest;
    std::ranges::copy_if(targets_, std::back_inserter(rest), [&](const Target* target) {
      return target->module.of_model && !rated.contains(target->module.name);
    });
    return rest.empty() ? std::nullopt : std::optional(selector(rest));
  }

  // Entries with the same id are one group.
  std::vector<ir::MaskGroup> mask_groups() const {
    std::vector<std::pair<std::string, std::vector<const Target*>>> members;
    std::map<std::string, std::size_t> places;
    for (const Target* target : targets_) {
      const Value* id = target->get("dependency_group_id");
      if (id == nullptr) continue;
      const std::string name = source::python_str(*id);
      const auto [place, is_new] = places.emplace(name, members.size());
      if (is_new) members.push_back({name, {}});
      members[place->second].second.push_back(target);
    }
    std::vector<ir::MaskGroup> groups;
    for (const auto& [name, own] : members) groups.push_back({name, selector(own)});
    return groups;
  }

  ir::Effect without_number() const {
    std::vector<const Target*> targets;
    std::ranges::copy_if(targets_, std::back_inserter(targets),
                         [](const Target* target) { return target->get("sparse_threshold") != nullptr; });
    if (targets.empty()) {
      return ir::Opaque{selector(targets_)};
    }
    const ClassSpec* maker = compressor_.mask_class();
    const Value threshold = *targets.front()->get("sparse_threshold");
    ir::ThresholdPrune out{maker == nullptr ? "" : std::string(maker->criterion), {{selector(targets), threshold}}};
    if (auto rest = others_than(targets)) out.thresholds.push_back({std::move(*rest), {}});
    return out;
  }

  std::vector<Goal> goals_of_targets() const {
    std::vector<Goal> goals;
    std::map<std::uint64_t, std::size_t> places;  // by the bits of the ratio, which may be nan
    for (const Target* target : targets_) {
      const auto bound = groups_.bound_of(*target);
      const auto number = bound ? bound : effective_ratio(*target);
      if (!number) {
        continue;
      }
      const auto [place, is_new] = places.emplace(std::bit_cast<std::uint64_t>(*number + 0.0), goals.size());
      if (is_new) goals.push_back({{*number, entry_.place(target->get("sparse_ratio"))}, {}});
      goals[place->second].targets.push_back(target);
    }
    return goals;
  }

  std::optional<Located<double>> bound(const Goal& goal, std::string_view key) const {
    const Value* value = goal.targets.front()->get(key);
    const auto number = value == nullptr ? std::nullopt : value->number();
    return number ? std::optional(Located<double>{*number, entry_.place(value)}) : std::nullopt;
  }

  // With several links, NNI uses the smallest loss, so the measure is unknown.
  ir::Effect distillation() const {
    ir::Distill distill{true, std::nullopt, std::nullopt};
    if (targets_.empty()) {
      return distill;
    }
    distill.layers = selector(targets_);
    const Value* measure = targets_.front()->get("apply_method");
    const Value* factor = targets_.front()->get("lambda");
    const auto* name = measure == nullptr ? nullptr : measure->get<std::string>();
    const auto* links =
        targets_.front()->get("link") == nullptr ? nullptr : targets_.front()->get("link")->get<source::List>();
    if (links != nullptr && links->size() == 1 && links->front().get<std::string>() != nullptr) {
      distill.teacher_layers = model::Selector{};
      distill.teacher_layers->over = model::Selector::Over::modules;
      distill.teacher_layers->terms = {{model::Term::Kind::exact, *links->front().get<std::string>(), entry_.span}};
    }
    distill.measure = links != nullptr && links->size() > 1 ? "" : name == nullptr ? "mse" : *name;
    if (const auto number = factor == nullptr ? std::nullopt : factor->number()) {
      distill.factor = Located<double>{*number, entry_.place(factor)};
    }
    return distill;
  }

  ir::Effect quantization() const {
    Map scheme;
    for (const FieldSpec& key : setting_keys(Mode::quantization)) {
      if (const Value* value = find_value(entry_.fields, key.name)) put(scheme, key.name, *value);
    }
    ir::Quantize quantize;
    quantize.scheme = {std::move(scheme), entry_.span};
    if (!targets_.empty()) {
      quantize.layers = {selector(targets_)};
    }
    quantize.grids = grids_of(compressor_, targets_);
    quantize.overrides = find_value(entry_.fields, "target_settings") == nullptr
                             ? Value{}
                             : *find_value(entry_.fields, "target_settings");
    return quantize;
  }

  // --- selectors ---------------------------------------------------------------------------------------

  // Selects the modules if the model is known, else copies the selectors of the entry.
  model::Selector selector(const std::vector<const Target*>& targets) const {
    model::Selector out;
    out.over = model::Selector::Over::modules;
    out.strict = false;
    std::unordered_set<std::string_view> seen;
    for (const Target* target : targets) {
      const std::string& name = target->module.name;
      if (target->module.of_model && seen.insert(name).second) {
        out.terms.push_back({model::Term::Kind::exact, name, entry_.span});
      }
      if (!has_word(out.tensor, target->name)) out.tensor += (out.tensor.empty() ? "" : ", ") + target->name;
    }
    if (!context_.model.known()) {
      add(out.terms, selectors_of(entry_.fields));
      std::vector<model::Term> excluded;
      add(excluded, exclusions_of(entry_.fields));
      out.excluded = std::move(excluded);
    }
    return out;
  }

  static bool has_word(const std::string& words, const std::string& word) {
    return (", " + words + ",").find(", " + word + ",") != std::string::npos;
  }

  static void add(std::vector<model::Term>& terms, const Selectors& selectors) {
    std::ranges::move(selectors.named().terms, std::back_inserter(terms));
    for (const auto& type : selectors.types) terms.push_back({model::Term::Kind::module_type, type.value, type.span});
  }

  // --- origin --------------------------------------------------------------------------------------------

  ir::Origin origin() const {
    ir::Origin origin;
    origin.class_name = compressor_.main && !compressor_.main->name.value.empty() ? compressor_.main->name.value
                        : counts_epochs()                                         ? "AGPPruner"
                                                                                  : "config_list";
    origin.ordinal = entry_.ordinal;
    origin.group = entry_.path;
    origin.span = compressor_.main && !compressor_.main->name.span.empty() ? compressor_.main->name.span : entry_.span;
    add(origin, *entry_.written);
    for (const auto* part : {&compressor_.main, &compressor_.inner}) {
      if (*part) add(origin, (*part)->arguments);
    }
    return origin;
  }

  static void add(ir::Origin& origin, const Map& fields) {
    origin.fields.reserve(origin.fields.size() + fields.size());
    for (const source::Entry& field : fields) {
      origin.fields.push_back({name_of(field), field.first.span, field.second, false});
    }
  }

  const Compressor& compressor_;
  const Entry& entry_;
  const GlobalGroups& groups_;
  std::vector<const Target*> targets_;
  const Context& context_;
  std::optional<UnevenGoals> uneven_ = uneven_of(compressor_, goals_of_targets());
};

ir::Recipe lower(Configuration& configuration, std::vector<std::vector<Target>> targets, const Context& context) {
  ir::Recipe recipe{"nni", {}, {}, {}, std::nullopt};
  recipe.has_rates = false;
  recipe.overlap = release_of(context.options) == Release::v3_0 ? ir::Overlap::first_action : ir::Overlap::last_update;
  recipe.rounding = ir::Rounding::down;
  recipe.steps_per_epoch = configuration.steps_per_epoch;
  std::size_t entries = 0;
  for (const Compressor& compressor : configuration.compressors) entries += compressor.entries.size();
  recipe.actions.reserve(entries);
  for (std::size_t at = 0; at < configuration.compressors.size(); ++at) {
    Compressor& compressor = configuration.compressors[at];
    std::vector<std::vector<const Target*>> own(compressor.entries.size());
    for (const Target& target : targets[at]) {
      own[target.entry].push_back(&target);
    }
    const GlobalGroups groups(targets[at], context.model);
    for (std::size_t index = 0; index < own.size(); ++index) {
      recipe.actions.push_back(
          Lowering(compressor, compressor.entries[index], groups, std::move(own[index]), context).action());
      compressor.entries[index].fields = {};
    }
    targets[at] = {};
  }
  const auto& given = context.options.steps_per_epoch ? context.options.steps_per_epoch : configuration.steps_per_epoch;
  const double steps_per_epoch = static_cast<double>(given.value_or(0));
  recipe.length = length_of(configuration, recipe, steps_per_epoch);
  return recipe;
}

}  // namespace sparsecfg::dialect::nni
