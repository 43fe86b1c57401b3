#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/sparseml/write/write.h"
#include "dialect/write.h"

// Converts llm-compressor recipes to SparseML stages, as far as SparseML supports them.
namespace sparsecfg::dialect::sparseml {

using source::Value;

namespace {

constexpr std::string_view kOneShotPruning[] = {"sparsity",   "mask_structure", "targets",
                                                "block_size", "dampening_frac", "preserve_sparsity_mask"};
constexpr std::string_view kHessian[] = {"block_size", "dampening_frac", "config_groups", "ignore", "scheme"};
constexpr std::string_view kGroups[] = {"config_groups", "ignore"};
constexpr std::string_view kSmoothing[] = {"smoothing_strength", "mappings", "ignore"};
constexpr std::string_view kIdle[] = {"index",
                                      "start",
                                      "end",
                                      "update",
                                      "sequential_update",
                                      "offload_hessians",
                                      "requires_calibration_data",
                                      "algorithm",
                                      "num_calibration_steps"};
constexpr std::string_view kPresets[] = {"W8A8", "INT8", "W4A16", "W8A16", "W4A8"};

class OneShotTranslator {
 public:
  OneShotTranslator(const ir::Action& action, ActionStatus& status, diag::Sink& sink)
      : action_(action), origin_(action.origin), status_(status), sink_(sink) {}

  std::optional<Draft> run() {
    const std::string& name = origin_.class_name;
    if (name == "SparseGPTModifier" || name == "WandaPruningModifier") return prune();
    if (name == "GPTQModifier") return quantize(kHessian);
    if (name == "QuantizationModifier") return quantize(kGroups);
    if (name == "SmoothQuantModifier" || name == "LogarithmicEqualizationModifier") return smooth();
    return drop_action("SparseML has no such modifier");
  }

 private:
  std::optional<Draft> drop_action(std::string reason) {
    drop(status_, action_, std::move(reason), sink_);
    return std::nullopt;
  }

  // Copies the fields that both frameworks support. Reports other fields unless SparseML has the same behavior without
  // them.
  Draft copy_fields(std::span<const std::string_view> names) {
    Draft draft{origin_.class_name, origin_.stage, origin_.group, {}};
    for (const ir::OriginField& field : origin_.fields) {
      const auto* list = field.value.get<source::List>();
      const bool empty = field.value.is_null() || (list != nullptr && list->empty());
      if (base::contains(names, field.name) && !empty) {
        draft.set(field.name, field.value);
      } else if (!empty && !base::contains(kIdle, field.name)) {
        report(status_, sink_, diag::field_dropped, field.key, field.name, origin_.class_name, "SparseML");
        status_.approximate(fmt::format("`{}` is omitted", field.name));
      }
    }
    draft.set("stage.run_type", word("oneshot"));
    return draft;
  }

  std::optional<Draft> prune() {
    const Value* targets = origin_.given("targets");
    const Value* sparsity = origin_.given("sparsity");
    if (sparsity != nullptr && sparsity->number() && *sparsity->number() <= 0) {
      return drop_action("SparseML rejects a sparsity of 0, which prunes no weights");
    }
    Draft draft = copy_fields(kOneShotPruning);
    if (targets == nullptr) draft.set("targets", {source::List{word("Linear")}, {}});
    return draft;
  }

  // Returns false for float types and block strategies, which were added later.
  static bool is_known(const Value& arguments) {
    const auto text = [&](std::string_view name) {
      const Value* value = arguments.find(name);
      const auto* word = value == nullptr ? nullptr : value->get<std::string>();
      return word == nullptr ? std::string() : base::to_lower(*word);
    };
    const std::string strategy = text("strategy");
    return strategy != "block" && strategy != "tensor_group" && strategy != "attn_head" &&
           arguments.find("actorder") == nullptr;
  }

  static bool are_known(const Value* groups) {
    const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
    return map != nullptr && std::ranges::all_of(*map, [](const source::Entry& group) {
             return std::ranges::all_of(*group.second.get<source::Map>(), [](const source::Entry& part) {
               return part.second.get<source::Map>() == nullptr || is_known(part.second);
             });
           });
  }

  std::optional<Draft> quantize(std::span<const std::string_view> names) {
    const Value* scheme = origin_.given("scheme");
    const auto* preset = scheme == nullptr ? nullptr : scheme->get<std::string>();
    const bool by_preset = preset != nullptr && base::contains(names, "scheme") &&
                           base::contains(kPresets, base::to_upper(*preset)) && origin_.given("targets") == nullptr;
    if (!by_preset && !are_known(origin_.given("config_groups"))) {
      return drop_action("SparseML does not support this scheme, only integers per tensor, channel or group");
    }
    // The default of llm-compressor.
    const bool ordered = origin_.class_name == "GPTQModifier" && origin_.find("actorder") == nullptr;
    if (ordered) status_.approximate("SparseML does not order columns as `actorder: static` does");
    return copy_fields(names);
  }

  std::optional<Draft> smooth() {
    const Value* mappings = origin_.given("mappings");
    const auto* list = mappings == nullptr ? nullptr : mappings->get<source::List>();
    if (mappings == nullptr || (list != nullptr && list->empty())) {
      return drop_action("SparseML does not infer mappings; write them out");
    }
    Draft draft = copy_fields(kSmoothing);
    const Value* algorithm = origin_.given("algorithm");
    if (algorithm != nullptr && *algorithm == word("log_equalization")) {
      draft.class_name = "LogarithmicEqualizationModifier";
    }
    return draft;
  }

  const ir::Action& action_;
  const ir::Origin& origin_;
  ActionStatus& status_;
  diag::Sink& sink_;
};

}  // namespace

WriteResult write_one_shot(const ir::Recipe& recipe, diag::Sink& sink) {
  WriteResult out;
  std::vector<Draft> drafts;
  out.statuses.resize(recipe.actions.size());
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    out.statuses[at].action = at;
    if (auto draft = OneShotTranslator(recipe.actions[at], out.statuses[at], sink).run()) {
      drafts.push_back(std::move(*draft));
    }
  }
  out.text = drafts.empty() ? "" : print_stages(drafts, {}, nullptr);
  return out;
}

}  // namespace sparsecfg::dialect::sparseml
