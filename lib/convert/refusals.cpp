#include "convert/refusals.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/text.h"

namespace sparsecfg::convert {

// A framework may require names that the model does not have.
static bool is_about_model(const diag::Diagnostic& finding) { return finding.info->code.starts_with("MD"); }

std::optional<Fault> fault_of(const Compilation& output, const std::vector<diag::Diagnostic>& known) {
  const auto first = std::ranges::find_if(output.diagnostics, [&](const diag::Diagnostic& finding) {
    const bool lost_before =
        finding.info->silent_loss && std::ranges::find(known, finding.info, &diag::Diagnostic::info) != known.end();
    return finding.severity == diag::Severity::error && !lost_before;
  });
  if (first == output.diagnostics.end()) {
    return output.recipe ? std::nullopt : std::optional(Fault{Fault::Kind::rejected, "it is not a recipe"});
  }
  const std::string_view help =
      is_about_model(*first) ? "; pass the names of the target model with `--params` and `--modules`" : "";
  return Fault{first->info->silent_loss ? Fault::Kind::ignored : Fault::Kind::rejected,
               fmt::format("{}{}", first->message, help)};
}

// Removes entries whose keys are at these places, also from nested mappings.
static void remove_keys(source::Value& value, const std::set<source::Span>& keys) {
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (source::Value& item : *list) remove_keys(item, keys);
  } else if (auto* map = std::get_if<source::Map>(&value.data)) {
    std::erase_if(*map, [&](const source::Entry& entry) { return keys.contains(entry.first.span); });
    for (source::Entry& entry : *map) remove_keys(entry.second, keys);
  }
}

void remove_unknown_fields(ir::Recipe& recipe, const std::vector<diag::Diagnostic>& findings) {
  std::set<source::Span> keys;
  for (const diag::Diagnostic& finding : findings) {
    if (finding.info == &diag::unknown_field.info) keys.insert(finding.span);
  }
  for (ir::Action& action : recipe.actions) {
    std::erase_if(action.origin.fields, [&](const ir::OriginField& field) { return keys.contains(field.key); });
    for (ir::OriginField& field : action.origin.fields) remove_keys(field.value, keys);
  }
  remove_keys(recipe.metadata, keys);
}

// Returns the recipe that the options choose from those of the file, or null if the file is read as a whole.
static const ir::FoundRecipe* chosen(const Compilation& compilation, const CompileOptions& options) {
  const auto& recipes = compilation.recipes;
  const std::size_t number = options.recipe.value_or(recipes.size() == 1 ? 1 : 0);
  return number == 0 || number > recipes.size() ? nullptr : &recipes[number - 1];
}

std::optional<UnknownValue> unknown_value(const Compilation& compilation, const CompileOptions& options) {
  const ir::FoundRecipe* recipe = chosen(compilation, options);
  if (recipe == nullptr || (recipe->unknown.empty() && recipe->unknown_parts.empty())) {
    return std::nullopt;
  }
  const auto reported =
      std::ranges::find(compilation.diagnostics, &diag::value_not_checked.info, &diag::Diagnostic::info);
  return UnknownValue{reported == compilation.diagnostics.end() ? source::Span{} : reported->span,
                      recipe->unknown.empty() ? "a program sets it" : recipe->unknown.front(), recipe->unknown_parts};
}

std::string reason_for(const ir::Origin& origin, const UnknownValue& unknown) {
  std::string names;
  std::string why;
  std::size_t count = 0;
  for (const ir::OriginField& field : origin.fields) {
    const auto reason = ir::unknown_in(field.value, unknown.parts);
    if (!reason) continue;
    if (why.empty()) why = reason->message();
    const std::string name = field.name == "**" ? "other fields" : fmt::format("`{}`", base::printable(field.name));
    names += (names.empty() ? "" : ", ") + name;
    ++count;
  }
  names += count > 1 ? " are" : " is";
  return count == 0 ? fmt::format("a value is known only when a program runs ({})", unknown.why)
                    : fmt::format("{} known only when a program runs ({})", names, why);
}

std::vector<std::size_t> in_document_order(const ir::Recipe& recipe) {
  std::vector<std::size_t> order(recipe.actions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return recipe.actions[index].origin.span.begin; });
  return order;
}

// Moves the index of the action that defines the training length.
static void move_length(ir::Recipe& part, const std::vector<bool>& kept) {
  if (!part.length || !part.length->field.empty()) {
    return;
  }
  const std::size_t action = part.length->action;
  if (action >= kept.size() || !kept[action]) {
    part.length.reset();
  } else {
    part.length->action =
        static_cast<std::size_t>(std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(action), true));
  }
}

ir::Recipe part_of(const ir::Recipe& recipe, const std::vector<bool>& kept) {
  ir::Recipe part = recipe;
  part.actions.clear();
  for (std::size_t index = 0; index < kept.size(); ++index) {
    if (kept[index]) part.actions.push_back(recipe.actions[index]);
  }
  move_length(part, kept);
  return part;
}

void restore_statuses(std::vector<dialect::ActionStatus>& statuses, const std::vector<bool>& kept) {
  std::vector<dialect::ActionStatus> all(kept.size());
  std::size_t next = 0;
  for (std::size_t index = 0; index < kept.size(); ++index) {
    if (kept[index]) {
      all[index] = std::move(statuses[next++]);
    } else {
      all[index].kind = dialect::ActionStatus::Kind::dropped;
    }
    all[index].action = index;
  }
  statuses = std::move(all);
}

static std::string_view verb_of(Fault::Kind kind) { return kind == Fault::Kind::ignored ? "ignores" : "rejects"; }

static std::string reason_of(const Refusal& refusal) {
  if (refusal.kind == Fault::Kind::inexact) {
    return fmt::format("in {}, the outcome would differ ({})", refusal.by, refusal.why);
  }
  return refusal.kind == Fault::Kind::differs
             ? fmt::format("the output would differ ({}); report this defect together with the recipe", refusal.why)
             : fmt::format("{} {} it: {}", refusal.by, verb_of(refusal.kind), refusal.why);
}

// Reports that an action is not converted. Returns the code.
static std::string_view report(const Refusal& refusal, const ir::Origin& origin, diag::Sink& sink) {
  if (refusal.kind == Fault::Kind::inexact) {
    return sink.report(diag::not_expressible, origin.span, origin.class_name, refusal.by, reason_of(refusal))
        .info->code;
  }
  const std::string what = fmt::format("`{}` ({})", base::printable(origin.class_name), refusal.why);
  return refusal.kind == Fault::Kind::differs
             ? sink.report(diag::round_trip_mismatch, origin.span, what).info->code
             : sink.report(diag::schedule_contradicts, origin.span, refusal.by, what).info->code;
}

void report(const Refusals& refusals, const ir::Recipe& recipe, std::vector<Fidelity>& fidelity, diag::Sink& sink) {
  for (const auto& [action, refusal] : refusals) {
    const ir::Origin& origin = recipe.actions[action].origin;
    const auto each = std::ranges::find(fidelity, action, &Fidelity::action);
    const auto code = report(refusal, origin, sink);
    *each = {action, Fidelity::Kind::not_converted, {}, reason_of(refusal), {code}};
  }
}

}  // namespace sparsecfg::convert
