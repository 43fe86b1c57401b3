#include "dialect/distiller/write.h"

#include <algorithm>
#include <map>
#include <set>

namespace sparsecfg::dialect::distiller {

using source::Value;

void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink) {
  dialect::drop(status, action, "Distiller", std::move(reason), sink);
}

constexpr std::string_view kOfPolicy = "policy.";

// Returns the arguments in table order, followed by unknown arguments.
static source::Map arguments_of(const ir::Origin& origin, const ClassSpec* spec) {
  source::Map arguments;
  for (std::size_t row = 0; spec != nullptr && row < spec->fields.size(); ++row) {
    if (const ir::OriginField* field = origin.find(spec->fields[row].name)) {
      arguments.emplace_back(word(field->name), field->value);
    }
  }
  for (const ir::OriginField& field : origin.fields) {
    if (!field.name.starts_with(kOfPolicy) && (spec == nullptr || spec->find(field.name) == nullptr)) {
      arguments.emplace_back(word(field.name), field.value);
    }
  }
  return arguments;
}

// A scheduler of the rate of the loss has the class of other schedulers, but no effect on the model.
static Section section_of(const ir::Action& action, const ClassSpec* spec) {
  const Section section = spec == nullptr ? Section::pruners : spec->section.as<Section>();
  const bool of_loss = section == Section::lr_schedulers && spec->kind != ClassKind::opaque &&
                       std::holds_alternative<ir::Opaque>(action.effect);
  return of_loss ? Section::loss_lr_schedulers : section;
}

static PolicyDraft policy_of(const ir::Origin& origin, Section section) {
  static constexpr std::string_view kOrder[] = {"starting_epoch", "ending_epoch", "frequency", "epochs"};
  PolicyDraft policy{section, origin.group, {}, {}};
  for (const std::string_view name : kOrder) {
    if (const ir::OriginField* field = origin.find(std::string(kOfPolicy) + std::string(name))) {
      policy.epochs.emplace_back(word(name), field->value);
    }
  }
  if (const ir::OriginField* arguments = origin.find("policy.args")) {
    policy.arguments = arguments->value;
  }
  return policy;
}

// Components are written in the order in which actions name them, which keeps the order of schedulers.
static Draft rewrite(const ir::Recipe& recipe, diag::Sink& sink) {
  Draft draft;
  std::vector<std::pair<int, PolicyDraft>> policies;
  std::set<int> ordinals;                 // of the policies
  std::map<int, std::size_t> targets_of;  // by ordinal: number of targets so far; a policy may have several actions
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    const ir::Origin& origin = action.origin;
    draft.statuses.push_back({index, ActionStatus::Kind::kept, "", links_to(action.effect, origin.ordinal)});
    std::size_t& targets = targets_of[origin.ordinal];
    for (Link& link : draft.statuses.back().links) link.into = targets++;
    if (!recipe.trains) {
      drop(draft.statuses.back(), action, "post-training quantization files are not schedules", sink);
      continue;
    }
    const ClassSpec* spec = find_class(origin.class_name);
    const Section section = section_of(action, spec);
    const bool known = std::ranges::any_of(draft.components, [&](const ComponentDraft& each) {
      return each.section == section && each.name == origin.group;
    });
    if (!known) {
      // A quantizer keeps the order of its arguments, because overrides depend on their order.
      draft.components.push_back({section, origin.group, origin.class_name,
                                  arguments_of(origin, section == Section::quantizers ? nullptr : spec)});
    }
    if (origin.ordinal > 0 && ordinals.insert(origin.ordinal).second) {
      policies.emplace_back(origin.ordinal, policy_of(origin, section));
    }
  }
  std::ranges::stable_sort(policies, {}, [](const auto& policy) { return policy.first; });
  for (auto& [ordinal, policy] : policies) {
    draft.policies.push_back(std::move(policy));
  }
  return draft;
}

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  const bool own = options.own && !options.by_effects;
  Draft draft = own ? rewrite(recipe, sink) : translate(recipe, options, sink);
  const bool empty = own ? !recipe.trains : draft.policies.empty();
  WriteResult out{empty ? "" : print(draft.components, draft.policies), std::move(draft.statuses),
                  std::move(draft.notes)};
  out.initial_rate = draft.initial_rate;
  out.instructions = std::move(draft.instructions);
  return out;
}

}  // namespace sparsecfg::dialect::distiller
