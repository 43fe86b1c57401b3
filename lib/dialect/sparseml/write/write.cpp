#include "dialect/sparseml/write/write.h"

#include <algorithm>
#include <numeric>

#include "base/number.h"
#include "dialect/sparseml/read/fields.h"
#include "dialect/sparseml/table/table.h"

namespace sparsecfg::dialect::sparseml {

using source::Value;

void drop(ActionStatus& status, const ir::Action& action, std::string reason, diag::Sink& sink) {
  dialect::drop(status, action, "SparseML", std::move(reason), sink);
}

// --- SparseML recipes ------------------------------------------------------------------------------

// Writes numbers as floats if SparseML converts them to floats or only computes with them.
static Value canonical(const FieldSpec* spec, const Value& value) {
  const bool number = spec != nullptr && allows(spec->type, kNumbers);
  const auto* text = value.get<std::string>();
  const bool read_from_text = number && text != nullptr && spec->type == Type::real;
  if (const auto* integer = value.get<std::int64_t>(); number && integer != nullptr) {
    return {static_cast<double>(*integer), value.span};
  }
  if (const auto parsed = read_from_text ? base::python_float(*text) : std::nullopt) {
    return {*parsed, value.span};
  }
  return value;
}

// Returns the modifier with fields in table order. Unknown fields come last.
static Draft draft_of(const ir::Origin& origin, const ClassSpec* spec, bool keeps_values) {
  Draft draft{origin.class_name, origin.stage, origin.group, {}};
  for (std::size_t row = 0; spec != nullptr && row < spec->fields.size(); ++row) {
    if (const ir::OriginField* field = origin.find(spec->fields[row].name)) {
      draft.set(field->name, keeps_values ? field->value : canonical(&spec->fields[row], field->value));
    }
  }
  for (const ir::OriginField& field : origin.fields) {
    if (spec == nullptr || spec->find(field.name) == nullptr) draft.set(field.name, field.value);
  }
  return draft;
}

// Sorts fields in table order, as for SparseML recipes.
static void put_in_order(Draft& draft) {
  const ClassSpec* spec = find_modifier(Framework::pytorch, draft.class_name);
  if (spec == nullptr) {
    return;  // a class of the project
  }
  std::ranges::stable_sort(draft.fields, {}, [&](const source::Entry& field) {
    return std::ranges::find(spec->fields, source::python_str(field.first), &FieldSpec::name) - spec->fields.begin();
  });
}

// Returns the row that has all the fields. Several classes may share a tag.
static const ClassSpec* spec_of(const ir::Origin& origin, Framework framework) {
  const auto rows = find_modifiers(framework, origin.class_name);
  const auto fits = [&](const ClassSpec& spec) {
    return std::ranges::all_of(origin.fields,
                               [&](const ir::OriginField& field) { return spec.find(field.name) != nullptr; });
  };
  const auto found = std::ranges::find_if(rows, fits);
  return found != rows.end() ? &*found : rows.empty() ? nullptr : rows.data();
}

static bool is_of_2020(const ir::Recipe& recipe) {
  return std::ranges::any_of(
      recipe.actions, [](const ir::Action& action) { return modern_name(action.origin.class_name).has_value(); });
}

// Returns true for stage recipes, whose modifiers are keys.
static bool is_of_stages(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions,
                             [](const ir::Action& action) { return action.cadence.is<ir::PerBatch>(); });
}

static std::vector<std::size_t> in_document_order(const ir::Recipe& recipe) {
  std::vector<std::size_t> order(recipe.actions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) { return recipe.actions[index].origin.ordinal; });
  return order;
}

// Returns true if a hash of the fields decides the order of the modifier and another one. In that hash, 1 and 1.0
// differ.
static bool is_ordered_by_hash(const ir::Recipe& recipe, const ir::Action& action) {
  return std::ranges::any_of(recipe.actions, [&](const ir::Action& other) {
    return &other != &action && other.origin.class_name == action.origin.class_name &&
           other.cadence.start.value == action.cadence.start.value;
  });
}

static WriteResult rewrite(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  WriteResult out;
  std::vector<Draft> drafts;
  const bool old = is_of_2020(recipe);
  const bool stages = is_of_stages(recipe);
  out.renamed = old;
  out.statuses.resize(recipe.actions.size());
  if (!recipe.framework.empty()) {
    out.read_with.emplace_back(kFrameworkOption.name, recipe.framework);
  }
  for (const std::size_t index : in_document_order(recipe)) {
    const ir::Action& action = recipe.actions[index];
    ActionStatus& status = out.statuses[index];
    status.action = index;
    const ClassSpec* spec = stages ? nullptr : spec_of(action.origin, framework_of(options.read));
    auto draft = old ? modernize(action, options, status, sink)
                     : draft_of(action.origin, spec, is_ordered_by_hash(recipe, action));
    if (draft) {
      drafts.push_back(std::move(*draft));
      status.links = links_to(action.effect, static_cast<int>(drafts.size()));
    }
  }
  out.text = (stages ? print_stages : print)(drafts, recipe, options.expressions);
  if (old) {
    out.notes.emplace_back(
        "selectors that match no parameters were ignored in 2020, but current SparseML fails on them");
  }
  return out;
}

// One-shot stages have the classes and fields of llm-compressor. Fields that keep masks have no equivalent elsewhere.
Plan plan(const ir::Recipe& recipe) {
  Plan out{.stage_modifiers = is_of_stages(recipe)};
  for (const ir::Action& action : recipe.actions) {
    ActionPlan& one = out.actions.emplace_back();
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    const ir::OriginField* leaves = action.origin.find("leave_enabled");
    if (prune != nullptr && !prune->hold_after_end && leaves != nullptr) {
      one.lost.push_back({leaves->name, leaves->value.span, "masks are kept after the end"});
    }
  }
  return out;
}

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  if (options.own && !options.by_effects) {
    return rewrite(recipe, options, sink);
  }
  if (options.plan.stage_modifiers && !options.own) {
    return write_one_shot(recipe, sink);
  }
  Translation translation = translate(recipe, options, sink);
  std::ranges::for_each(translation.drafts, put_in_order);
  ir::Recipe bare;
  bare.variables = std::move(translation.variables);
  const bool empty = translation.drafts.empty();
  WriteResult out{empty ? "" : print(translation.drafts, bare, nullptr), std::move(translation.statuses),
                  std::move(translation.notes)};
  out.instructions = std::move(translation.instructions);
  out.read_with = {{kFrameworkOption.name, "pytorch"}};
  return out;
}

}  // namespace sparsecfg::dialect::sparseml
