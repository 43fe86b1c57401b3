#include "dialect/llmcompressor/write.h"

#include <algorithm>

#include "dialect/schemes/assigned.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::llmcompressor {

// Writes llm-compressor recipes with their stages, groups and fields.
static Draft own_draft(const ir::Origin& origin) {
  Draft draft{origin.class_name, origin.stage, origin.group};
  for (const ir::OriginField& field : origin.fields) draft.set(field.name, field.value);
  return draft;
}

// Reports differences between the one-shot modifiers of both frameworks when they are combined.
static void note_lost_zeros(const ir::Recipe& recipe, std::vector<ActionStatus>& statuses, diag::Sink& sink) {
  bool pruned = false;
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    const std::string& name = recipe.actions[at].origin.class_name;
    if (pruned && name == "GPTQModifier") {
      approximate(statuses[at], recipe.actions[at],
                  "GPTQ of SparseML keeps existing zeros, but GPTQ of llm-compressor 0.13 does not", sink);
    }
    pruned = pruned || name == "SparseGPTModifier" || name == "WandaPruningModifier";
  }
}

// Returns a mapping without its null values, also in mappings inside it.
static source::Value without_nulls(const source::Value& value) {
  const auto* map = value.get<source::Map>();
  if (map == nullptr) {
    return value;
  }
  source::Map out;
  for (const auto& [key, item] : *map) {
    if (!item.is_null()) out.emplace_back(key, without_nulls(item));
  }
  return {std::move(out), value.span};
}

// Returns true for a group that quantizes nothing.
static bool has_no_targets(const source::Value& group) {
  const source::Value* targets = group.find("targets");
  const auto* list = targets == nullptr ? nullptr : targets->get<source::List>();
  return list != nullptr && list->empty();
}

// Returns the modifier that quantizes as a `quantization_config` describes.
static Draft draft_of_config(const ir::Origin& origin) {
  Draft draft{"QuantizationModifier"};
  const source::Value* groups = origin.given("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  source::Map written;
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, group] = (*map)[at];
    if (has_no_targets(group)) continue;
    const bool preset = group.get<source::List>() != nullptr;
    written.emplace_back(key, without_nulls(preset ? schemes::complete_group(source::python_str(key), group) : group));
  }
  const source::Value* ignore = origin.given("ignore");
  if (!written.empty()) draft.set("config_groups", groups_written_out({std::move(written), {}}));
  if (ignore != nullptr) draft.set("ignore", *ignore);
  if (const source::Value* cache = origin.given("kv_cache_scheme")) {
    draft.set("kv_cache_scheme", written_out(without_nulls(*cache)));
  }
  return draft;
}

// Writes one recipe.
class Writer {
 public:
  Writer(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe), options_(options), sink_(sink), stages_(options.plan.stage_modifiers && !options.own) {}

  WriteResult run() {
    out_.statuses.resize(recipe_.actions.size());
    for (std::size_t at = 0; at < recipe_.actions.size(); ++at) {
      out_.statuses[at].action = at;
      for (Draft& draft : drafts_of(recipe_.actions[at], out_.statuses[at])) add(std::move(draft));
    }
    if (stages_) note_lost_zeros(recipe_, out_.statuses, sink_);
    out_.text = print(std::move(drafts_));
    return std::move(out_);
  }

 private:
  std::vector<Draft> drafts_of(const ir::Action& action, ActionStatus& status) {
    if (nodes_ > options_.max_nodes) {
      drop(status, action, "llm-compressor", too_many_nodes(options_), sink_);
      return {};
    }
    if (options_.own) {
      return {own_draft(action.origin)};
    }
    if (options_.plan.is_result) {
      status.approximate("the file does not tell how the scales were computed, such as by GPTQ or AWQ");
      return {draft_of_config(action.origin)};
    }
    return stages_ ? of_stages(action, status) : by_effect(action, status);
  }

  std::vector<Draft> of_stages(const ir::Action& action, ActionStatus& status) {
    auto draft = draft_of_stages(action, quantized_, status, out_.notes, out_.instructions, sink_);
    return draft ? std::vector{*std::move(draft)} : std::vector<Draft>();
  }

  std::vector<Draft> by_effect(const ir::Action& action, ActionStatus& status) {
    std::vector<Draft> drafts = drafts_by_effect(action, status, sink_);
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    if (prune != nullptr && status.kind == ActionStatus::Kind::approximated) {
      report_unsupported(options_.plan.of(status.action), action, *prune, {}, "llm-compressor", status, sink_);
    }
    return drafts;
  }

  void add(Draft draft) {
    for (const source::Entry& field : draft.fields) nodes_ += 1 + nodes_of(field.second);
    quantized_ = quantized_ || draft.find("scheme") != nullptr || draft.find("config_groups") != nullptr;
    drafts_.push_back(std::move(draft));
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  bool stages_;
  bool quantized_ = false;  // true if a draft sets schemes
  std::size_t nodes_ = 0;   // nodes in the fields of all drafts
  std::vector<Draft> drafts_;
  WriteResult out_;
};

Plan plan(const ir::Recipe& /*recipe*/) { return {.stage_modifiers = true, .layer_schemes = true}; }

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Writer(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
