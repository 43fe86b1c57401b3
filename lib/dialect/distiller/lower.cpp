#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/rules/rules.h"
#include "ir/trigger.h"

namespace sparsecfg::dialect::distiller {

using model::Term;

// --- the rest -----------------------------------------------------------------------------------------

static ir::Regularize regularizing(const Component& regularizer) {
  const Arguments& arguments = *regularizer.arguments;
  ir::Regularize out{std::string(regularizer.spec->criterion), {}, arguments.threshold_criteria.value_or("")};
  for (const Regim& each : arguments.reg_regims.value_or({})) {
    const auto* group = each.group_text();
    out.strengths.push_back({selector_of({term_of(*each.name)}),
                             {each.strength->number().value_or(0), each.strength->span},
                             group == nullptr ? "" : *group});
  }
  return out;
}

// Returns the grids of weights and activations. Without a bit width a tensor is not quantized.
static std::vector<ir::Grid> grids_of(const Component& quantizer) {
  const std::string mode = quantizer.fields.text("mode");
  const bool symmetric = mode.empty() || mode.starts_with("SYMMETRIC");
  const bool by_channel = is_enabled(quantizer.fields, "per_channel_wts");
  std::vector<ir::Grid> grids;
  for (const auto& [field, tensor] :
       {std::pair{FieldName("bits_weights"), "weights"}, {FieldName("bits_activations"), "outputs"}}) {
    if (const auto bits = quantizer.fields.number(field)) {
      const bool weights = grids.empty() && std::string_view(tensor) == "weights";
      grids.push_back({tensor, base::whole_part(*bits), symmetric, by_channel && weights});
    }
  }
  return grids;
}

static ir::Quantize quantizing(const Component& quantizer, const Context& context) {
  ir::Quantize out;
  out.layers = overridden_layers(quantizer, context);
  out.by_scheme = false;
  source::Map bits;
  for (const Field& field : quantizer.fields.fields) {
    if (field.name == "overrides") {
      out.overrides = field.value;
    } else if (field.name != "class") {
      bits.emplace_back(Value{field.name, field.key}, field.value);
    }
  }
  out.scheme = {std::move(bits), quantizer.key};
  if (has(*quantizer.spec, kTracksRanges)) {
    out.grids = grids_of(quantizer);
  }
  return out;
}

static ir::Origin origin_of(const Component& component, const Policy* policy) {
  ir::Origin origin;
  origin.class_name = component.class_name;
  origin.ordinal = policy == nullptr ? 0 : policy->ordinal;
  origin.group = component.name;
  origin.span = policy == nullptr ? component.fields.key : policy->place;
  for (const Field& field : component.fields.fields) {
    if (field.name != "class") origin.fields.push_back({field.name, field.key, field.value});
  }
  if (policy != nullptr) {
    for (const Field& field : policy->entry.fields) {
      if (field.name != policy->kind->kind) origin.fields.push_back({"policy." + field.name, field.key, field.value});
    }
    if (const Field* args = policy->inner.find(kArguments)) {
      origin.fields.push_back({"policy.args", args->key, args->value});
    }
  }
  return origin;
}

static ir::Cadence never() { return {{0, {}}, {0, {}}, ir::WholeEpochs{}}; }

// --- all of them ----------------------------------------------------------------------------------------

class Lowering {
 public:
  Lowering(const Components& components, const std::vector<Policy>& policies, const Context& context)
      : components_(components),
        policies_(policies),
        context_(context),
        chains_(context.is_ai8x() && !has_equal_rates(components, policies)) {}

  std::vector<ir::Action> lower() {
    build_schedulers();
    for (const Policy& policy : policies_) {
      if (!moves_rate(policy)) add(policy);
    }
    for (const Policy& policy : policies_) {
      if (moves_rate(policy)) add(policy);
    }
    for (const Component& component : components_.all) {
      if (!component.used && !is_built(component)) {
        actions_.push_back({ir::Opaque{}, never(), origin_of(component, nullptr), true});
      }
    }
    return std::move(actions_);
  }

 private:
  static bool moves_rate(const Policy& policy) {
    return policy.kind != nullptr && policy.kind->section == Section::lr_schedulers;
  }

  // Returns true for a scheduler, and for any other class that a policy steps as a scheduler.
  static bool is_built(const Component& component) {
    const bool other = component.spec != nullptr && component.spec->section != Section::lr_schedulers;
    return component.section == Section::lr_schedulers && (component.used || !other);
  }

  void build_schedulers() {
    for (const Component& component : components_.all) {
      if (is_built(component) && component.spec != nullptr) {
        numbers_.emplace(&component, numbers_.size());
        const bool valid = component.valid || !component.acts;  // values that are never read do not matter
        actions_.push_back({scheduler_of(component, true), never(), origin_of(component, nullptr), valid});
      }
    }
  }

  ir::Effect scheduler_of(const Component& component, bool builds) const {
    const bool steps = component.spec->kind == ClassKind::step;
    return ir::EpochScheduler{component.course.value_or(ir::Plateau{}), numbers_.at(&component), builds, chains_,
                              component.fields.place(steps ? FieldName("step_size") : "milestones")};
  }

  void add(const Policy& policy) {
    if (policy.component == nullptr || policy.component->spec == nullptr) {
      actions_.push_back({ir::Opaque{}, never(), {}, false});
      actions_.back().origin.ordinal = policy.ordinal;
      actions_.back().origin.span = policy.entry.key;
      return;
    }
    const Component& component = *policy.component;
    const bool valid = policy.valid && (component.valid || !component.acts);
    if (valid && component.spec->kind == ClassKind::level && add_changing(policy)) {
      return;
    }
    actions_.push_back({effect_of(policy), valid ? policy.cadence() : never(), origin_of(component, &policy), valid});
    if (std::holds_alternative<ir::Quantize>(actions_.back().effect) && valid) {
      begin_with_loading(actions_.back().cadence);
    }
  }

  // --- levels that other policies change ------------------------------------------------------------

  // The levels in force in a policy's active epochs, each with the first epoch in which it is in force.
  using Found = std::vector<std::pair<std::int64_t, const Value*>>;

  Found levels_by_epoch(const Policy& policy) const {
    constexpr std::size_t kMaxEpochs = 10'000;
    Found found;
    for (const std::int64_t epoch : policy.active(kMaxEpochs)) {
      const Value* levels = levels_at(policy, static_cast<double>(epoch));
      if (levels != nullptr && (found.empty() || found.back().second != levels)) found.emplace_back(epoch, levels);
    }
    return found;
  }

  static double level_of(const Value& levels, const std::string& name) {
    const Value* own = levels.find(name);
    const Value* rest = own == nullptr ? levels.find("*") : own;
    return rest == nullptr ? 0 : rest->number().value_or(0);
  }

  // Adds one action for each distinct sequence of levels. Returns false if the levels never change.
  bool add_changing(const Policy& policy) {
    const Found found = levels_by_epoch(policy);
    if (found.size() < 2) {
      return false;
    }
    std::map<std::string, Term> names;
    for (const auto& [epoch, levels] : found) {
      const auto* map = levels->get<source::Map>();
      for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
        const Term term = term_or_all((*map)[at].first);
        names.emplace(term.text, term);
      }
    }
    std::map<std::vector<double>, std::vector<Term>> courses;
    for (const auto& [name, term] : names) {
      std::vector<double> course;
      for (const auto& [epoch, levels] : found) course.push_back(level_of(*levels, name));
      courses[course].push_back(term);
    }
    for (auto& [course, terms] : courses) {
      add_curve(policy, found, course, std::move(terms));
    }
    return true;
  }

  // A level of 0 leaves the existing mask unchanged.
  void add_curve(const Policy& policy, const Found& found, const std::vector<double>& course, std::vector<Term> terms) {
    ir::PiecewiseConstant stairs;
    ir::Cadence cadence = policy.cadence();
    auto& epochs = std::get<ir::WholeEpochs>(cadence.rhythm);
    epochs.listed.clear();
    for (const std::int64_t epoch : policy.active(static_cast<std::size_t>(10'000))) {
      std::size_t at = 0;
      while (at + 1 < found.size() && found[at + 1].first <= epoch) ++at;
      if (course[at] != 0) {
        const auto place = static_cast<double>(epoch);
        epochs.listed.push_back({place, {}});
        stairs.stairs.push_back({place, {course[at], found[at].second->span}});
      }
    }
    if (stairs.stairs.empty()) {
      return;
    }
    stairs.from = stairs.stairs.front().sparsity;
    epochs.skips_first =
        epochs.skips_first && epochs.listed.front().value == static_cast<double>(policy.active(1).front());
    const ir::Target target{stairs.stairs.back().sparsity, selector_of(std::move(terms))};
    actions_.push_back({prune(*policy.component, policy, std::move(stairs), {target}), std::move(cadence),
                        origin_of(*policy.component, &policy), true});
  }

  // The model is quantized when the schedule is loaded, before the policy's first epoch.
  static void begin_with_loading(ir::Cadence& cadence) { cadence.start.value = 0; }

  ir::Effect effect_of(const Policy& policy) {
    const Component& component = *policy.component;
    if (component.spec->kind == ClassKind::opaque) {
      return ir::Opaque{};
    }
    switch (policy.kind->section) {
      case Section::pruners: return pruning(component, policy, levels_of(policy));
      case Section::regularizers: return regularizing(component);
      case Section::quantizers: return quantizing(component, context_);
      case Section::lr_schedulers: return scheduler_of(component, false);
      case Section::loss_lr_schedulers: return ir::Opaque{};
      case Section::extensions: return ir::Opaque{std::nullopt, component.spec->kind == ClassKind::remover};
    }
    return ir::Opaque{};
  }

  // Returns the levels in the first active epoch.
  const Value* levels_of(const Policy& policy) const {
    const auto first = policy.active(1);
    return levels_at(policy, first.empty() ? -1 : static_cast<double>(first.front()));
  }

  // Returns the levels in force at an epoch. Levels set by a policy also apply to other policies of the
  // same pruner, so the most recently set levels count.
  const Value* levels_at(const Policy& policy, double epoch) const {
    if (policy.args.levels) return policy.args.levels.given();
    const Value* levels = policy.component->arguments->levels.given();
    double latest = -1;
    for (const Policy& other : policies_) {
      if (other.component != policy.component || !other.args.levels || epoch < 0) {
        continue;
      }
      const double set = last_before(other, epoch, other.ordinal < policy.ordinal);
      if (set >= latest && set >= 0) {
        latest = set;
        levels = other.args.levels.given();
      }
    }
    return levels;
  }

  // Returns the last active epoch of a policy before `epoch`, or at `epoch` if `in_it` is true. Returns -1 if none.
  static double last_before(const Policy& policy, double epoch, bool in_it) {
    const double limit = in_it ? epoch : epoch - 1;
    if (limit < 0) {
      return -1;
    }
    ir::Epochs epochs(policy.cadence());
    epochs.skip_to(static_cast<std::uint64_t>(limit));
    const auto last = static_cast<double>(epochs.peek());
    return last <= limit ? last : -1;
  }

  const Components& components_;
  const std::vector<Policy>& policies_;
  const Context& context_;
  bool chains_;  // true if schedulers count their own steps, and that makes a difference
  std::map<const Component*, std::size_t> numbers_;  // of the schedulers, in construction order
  std::vector<ir::Action> actions_;
};

std::vector<ir::Action> lower(const Components& components, const std::vector<Policy>& policies,
                              const Context& context) {
  return Lowering(components, policies, context).lower();
}

}  // namespace sparsecfg::dialect::distiller
