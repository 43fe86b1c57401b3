#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/read/fields.h"
#include "dialect/sparseml/table/table.h"
#include "dialect/sparseml/write/write.h"

// Composes stages like `compose_staged` in SparseML, but so that SparseML can run the result: milestones are shifted,
// and a modifier that cannot have an end gets none. Source: docs/semantics/sparseml.md#a9.
namespace sparsecfg::dialect::sparseml {

using source::Value;

static std::set<std::string> stages_of(const ir::Recipe& recipe) {
  std::set<std::string> out;
  for (const ir::Action& action : recipe.actions) out.insert(action.origin.stage);
  return out;
}

static bool is_staged(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) { return !action.origin.stage.empty(); });
}

// --- names of stages --------------------------------------------------------------------------------

static void put_into_stage(ir::Recipe& recipe, const std::string& stage) {
  for (ir::Action& action : recipe.actions) {
    action.origin.stage = stage;
    action.origin.group = stage + "_modifiers";
  }
  if (!recipe.metadata.is_null()) {
    recipe.metadata = {source::Map{{word(stage), std::move(recipe.metadata)}}, {}};
  }
}

// Turns recipes without stages into a single stage, named by position.
static void name_stages(ir::Recipe& base, ir::Recipe& next) {
  const bool base_staged = is_staged(base);
  const bool next_staged = is_staged(next);
  if (!base_staged) put_into_stage(base, next_staged ? "pre_" + next.actions.front().origin.stage : "stage_0");
  if (!next_staged) {
    put_into_stage(next, base_staged ? fmt::format("stage_{}", stages_of(base).size() + 1) : "stage_1");
  }
}

static std::string shared_stage(const ir::Recipe& base, const ir::Recipe& next) {
  const std::set<std::string> used = stages_of(base);
  for (const ir::Action& action : next.actions) {
    if (used.contains(action.origin.stage)) return action.origin.stage;
  }
  return {};
}

// --- epochs -----------------------------------------------------------------------------------------

namespace {

// Shifts the epochs in the fields of one modifier.
class Mover {
 public:
  Mover(ir::Origin& origin, std::vector<std::string>& remarks) : origin_(origin), remarks_(remarks) {}

  // Ends a modifier without an end at the end of its stage.
  void end_at(double epoch) {
    drop_ignored_end();
    if (epoch_of("end_epoch") != -1) {
      return;
    }
    const ClassSpec* spec = find_modifier(Framework::pytorch, origin_.class_name);
    if (spec == nullptr || spec->end != EndRule::none) {
      set("end_epoch", real(epoch));
      remark(fmt::format("now ends at epoch {}, when the next stage begins", epoch));
    }
  }

  void move_by(double epochs) {
    drop_ignored_end();
    set("start_epoch", real(std::max(0.0, epoch_of("start_epoch")) + epochs));
    if (const double end = epoch_of("end_epoch"); end != -1) set("end_epoch", real(end + epochs));
    for (const std::string_view name : {"freeze_bn_stats_epoch", "disable_quantization_observer_epoch"}) {
      const ir::OriginField* field = origin_.find(name);
      const auto number = field == nullptr ? std::nullopt : as_real(field->value);
      if (number) set(name, real(std::max(0.0, *number) + epochs));
    }
    if (const ir::OriginField* field = origin_.find("update_epochs")) set("update_epochs", moved(field->value, epochs));
    move_milestones(epochs);
  }

 private:
  // SparseML itself does not shift milestones, and then fails because they are before the start.
  void move_milestones(double epochs) {
    const ir::OriginField* field = origin_.find("lr_kwargs");
    const Value* milestones = field == nullptr ? nullptr : field->value.find("milestones");
    if (milestones == nullptr) {
      return;
    }
    Value arguments = field->value;
    for (source::Entry& entry : std::get<source::Map>(arguments.data)) {
      if (source::python_str(entry.first) == "milestones") entry.second = moved(*milestones, epochs);
    }
    set("lr_kwargs", std::move(arguments));
    remark("milestones were shifted as well, which SparseML itself does not do");
  }

  static Value moved(const Value& value, double epochs) {
    const auto* list = value.get<source::List>();
    const auto number = as_real(value);
    if (list == nullptr) {
      return number ? real(*number + epochs) : value;
    }
    source::List out;
    for (const Value& item : *list) out.push_back(moved(item, epochs));
    return {std::move(out), {}};
  }

  // Removes an end without effect, which the loader drops.
  void drop_ignored_end() {
    const ClassSpec* spec = find_modifier(Framework::pytorch, origin_.class_name);
    const FieldSpec* end = spec == nullptr ? nullptr : spec->find("end_epoch");
    if (end != nullptr && !end->no_effect.empty())
      std::erase_if(origin_.fields, [](const auto& field) { return field.name == "end_epoch"; });
  }

  double epoch_of(std::string_view name) const {
    const ir::OriginField* field = origin_.find(name);
    return field == nullptr ? -1 : as_real(field->value).value_or(-1);
  }

  void set(std::string_view name, Value value) {
    const auto found = std::ranges::find(origin_.fields, name, &ir::OriginField::name);
    if (found != origin_.fields.end()) {
      found->value = std::move(value);
    } else {
      origin_.fields.push_back({std::string(name), {}, std::move(value)});
    }
  }

  void remark(const std::string& what) {
    remarks_.push_back(
        fmt::format("`{}#{}` of {}: {}", origin_.class_name, origin_.ordinal, base::printable(origin_.stage), what));
  }

  ir::Origin& origin_;
  std::vector<std::string>& remarks_;
};

}  // namespace

static void move_epochs(ir::Recipe& base, ir::Recipe& next, std::vector<std::string>& remarks) {
  const double end = base.length->epochs;
  for (ir::Action& action : base.actions) {
    Mover(action.origin, remarks).end_at(end);
  }
  for (ir::Action& action : next.actions) {
    Mover(action.origin, remarks).move_by(end);
  }
}

// --- composition -------------------------------------------------------------------------------------------

// Appends actions in document order and renumbers them.
static void append_stages(ir::Recipe& out, ir::Recipe recipe) {
  std::ranges::stable_sort(recipe.actions, {}, [](const ir::Action& action) { return action.origin.ordinal; });
  for (ir::Action& action : recipe.actions) {
    action.origin.ordinal = static_cast<int>(out.actions.size()) + 1;
    out.actions.push_back(std::move(action));
  }
  if (auto* stages = std::get_if<source::Map>(&recipe.metadata.data)) {
    if (out.metadata.is_null()) out.metadata = {source::Map(), {}};
    std::ranges::move(*stages, std::back_inserter(std::get<source::Map>(out.metadata.data)));
  }
}

static std::string composing_obstacle(const ir::Recipe& recipe) {
  const auto is = [&](auto test) { return std::ranges::any_of(recipe.actions, test); };
  if (!recipe.framework.empty()) return "only recipes for the PyTorch reader of SparseML can be composed";
  if (is([](const ir::Action& action) { return modern_name(action.origin.class_name).has_value(); })) {
    return "recipes of 2020 do not support stages; update the recipe with `sparsecfg convert --to sparseml`";
  }
  if (is([](const ir::Action& action) { return action.cadence.is<ir::PerBatch>(); })) {
    return "only recipes with modifier tags can be composed, and in this one modifiers are keys";
  }
  return recipe.actions.empty() ? "it contains no modifiers" : "";
}

Composed compose(ir::Recipe base, ir::Recipe next, const ComposeOptions& options) {
  Composed out;
  for (const ir::Recipe* recipe : {&base, &next}) {
    if (out.problem = composing_obstacle(*recipe); !out.problem.empty()) return out;
  }
  name_stages(base, next);
  if (const std::string shared = shared_stage(base, next); !shared.empty()) {
    out.problem = fmt::format("both recipes have a stage `{}`; rename one of them", base::printable(shared));
  } else if (!base.length && !options.keep_epochs) {
    out.problem = "the end of the first recipe is unknown, so the next recipe cannot be appended";
  }
  if (!out.problem.empty()) {
    return out;
  }
  const double begin = options.keep_epochs || !base.length ? 0 : base.length->epochs;
  if (!options.keep_epochs) move_epochs(base, next, out.remarks);
  out.recipe.dialect = base.dialect;
  const double own = next.length ? begin + next.length->epochs : begin;
  const double length = std::max(own, base.length ? base.length->epochs : 0);
  if (base.length || next.length) out.recipe.length = ir::TrainingLength{length, {}};
  out.recipe.actions.reserve(base.actions.size() + next.actions.size());
  append_stages(out.recipe, std::move(base));
  append_stages(out.recipe, std::move(next));
  return out;
}

}  // namespace sparsecfg::dialect::sparseml
