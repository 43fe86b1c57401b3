#include "dialect/llmcompressor/write.h"

#include <algorithm>

#include "dialect/foreign.h"

namespace sparsecfg::dialect::llmcompressor {

// Its own recipes keep their stages, groups and fields.
static Draft own_draft(const ir::Origin& origin) {
  Draft draft{origin.class_name, origin.stage, origin.group};
  for (const ir::OriginField& field : origin.fields) draft.set(field.name, field.value);
  return draft;
}

// SparseML's newer recipes, whose modifiers are keys of stages.
static bool is_of_stages(const ir::Recipe& recipe) {
  return recipe.dialect == "sparseml" && std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
           return action.cadence.kind == ir::Cadence::Kind::per_batch;
         });
}

static bool gives_schemes(const std::vector<Draft>& drafts) {
  return std::ranges::any_of(drafts, [](const Draft& draft) {
    return draft.find("scheme") != nullptr || draft.find("config_groups") != nullptr;
  });
}

// What both systems do in one shot, but not to each other's results.
static void note_lost_zeros(const ir::Recipe& recipe, std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  bool pruned = false;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    const std::string& name = recipe.actions[at].origin.class_name;
    if (pruned && name == "GPTQModifier") {
      approximate(statuses[at], recipe.actions[at],
                  "SparseML's GPTQ keeps the zeros that it finds, and that of llm-compressor 0.13 does not", sink);
    }
    pruned = pruned || name == "SparseGPTModifier" || name == "WandaPruningModifier";
  }
}

Written write(const ir::Recipe& recipe, const WriteOptions&, diag::Sink& sink) {
  Written out;
  std::vector<Draft> drafts;
  const bool own = recipe.dialect == "llm-compressor";
  const bool stages = is_of_stages(recipe);
  out.statuses.resize(recipe.actions.size());
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    const ir::Action& action = recipe.actions[at];
    ActionStatus& status = out.statuses[at];
    status.action = at;
    if (own) {
      drafts.push_back(own_draft(action.origin));
    } else if (stages) {
      if (auto draft = draft_of_stages(action, gives_schemes(drafts), status, out.notes, out.instructions, sink)) {
        drafts.push_back(std::move(*draft));
      }
    } else {
      std::ranges::move(drafts_by_effect(action, status, sink), std::back_inserter(drafts));
      const auto* prune = std::get_if<ir::Prune>(&action.effect);
      if (prune != nullptr && status.kind == ActionStatus::Kind::approximated) {
        report_losses_of_nni(recipe, action, *prune, {}, "llm-compressor", status, sink);
      }
    }
  }
  if (stages) note_lost_zeros(recipe, out.statuses, sink);
  out.text = print(std::move(drafts));
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
