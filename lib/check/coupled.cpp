#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "check/check.h"
#include "ir/matching.h"

// Reports layers of residual networks whose outputs are added and whose sparsities differ (MD9).
namespace sparsecfg::check {

namespace {

// Removes leading digits from `text` and returns them.
std::string_view consume_number(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, base::is_digit);
  const std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  return number;
}

// Removes `word` from the start of `text`. Returns true if `text` started with it.
bool consume(std::string_view& text, std::string_view word) {
  const bool found = text.starts_with(word);
  text.remove_prefix(found ? word.size() : 0);
  return found;
}

// Parts of a torchvision name of a convolution.
struct Place {
  std::string_view stage;  // "backbone.layer1"
  std::string_view block;  // "0"
  std::string_view last;   // number of the convolution in the block; empty for the shortcut
};

std::optional<Place> place_of(std::string_view name) {
  constexpr std::string_view kStage = "layer";
  const std::size_t at = name.rfind(kStage);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(at + kStage.size());
  const bool stage = !consume_number(rest).empty();
  Place place{name.substr(0, name.size() - rest.size()), {}, {}};
  const bool block = stage && consume(rest, ".") && !(place.block = consume_number(rest)).empty() && consume(rest, ".");
  if (!block) {
    return std::nullopt;
  }
  const bool convolution =
      consume(rest, "downsample.0") || (consume(rest, "conv") && !(place.last = consume_number(rest)).empty());
  return convolution && (rest.empty() || rest == ".weight") ? std::optional(place) : std::nullopt;
}

struct Member {
  std::size_t at;  // index of the name
  std::string_view last;
};

// Maps stage and block to the last convolution of the block. Shortcuts have separate entries.
using Stages = std::map<std::string_view, std::map<std::string, Member, std::less<>>, std::less<>>;

Stages stages_of(const model::ModelNames& names) {
  Stages stages;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto place = place_of(names[at]);
    if (!place || names.shape(at) == nullptr || names.shape(at)->size() != 4) {
      continue;
    }
    const std::string block = std::string(place->block) + (place->last.empty() ? " shortcut" : "");
    const auto [found, is_new] = stages[place->stage].try_emplace(block, Member{at, place->last});
    if (!is_new && found->second.last < place->last) found->second = {at, place->last};
  }
  return stages;
}

// Returns the target that removes filters from a parameter or module, or null.
const ir::Target* target_of(const ir::Recipe& recipe, const std::vector<ir::Claim>& claims) {
  for (const ir::Claim& claim : claims) {
    const auto* prune = std::get_if<ir::Prune>(&recipe.actions[claim.action].effect);
    const bool filters = prune != nullptr && prune->structure.kind == ir::Structure::Kind::filter && claim.decides;
    if (filters && recipe.actions[claim.action].valid) return &prune->targets[claim.selector];
  }
  return nullptr;
}

// Returns true if the recipe removes masked structures from the model.
bool shrinks_model(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* opaque = std::get_if<ir::Opaque>(&action.effect);
    return opaque != nullptr && opaque->shrinks_model;
  });
}

// Masks of different filters only matter to whoever removes them, so a recipe that keeps all shapes gets a note.
void report(const Context& context, std::string_view first, const ir::Target& wanted, std::string_view name,
            const ir::Target& target) {
  auto& report =
      context.sink.report(diag::coupled_layers_differ, target.sparsity.span, first,
                          base::python_repr(wanted.sparsity.value), name, base::python_repr(target.sparsity.value));
  report.with_label(wanted.sparsity.span, "different sparsity for a coupled layer");
  if (shrinks_model(context.recipe)) return;
  report.with_severity(diag::Severity::info)
      .with_help("set the same sparsity for both if the filters are removed from the model later");
}

void check_names_of(const Context& context, const model::ModelNames* names, model::Selector::Over over) {
  if (names == nullptr || !names->has_shapes()) {
    return;
  }
  const auto claims = ir::claims_on(context.recipe, *names, over);
  for (const auto& [stage, members] : claims ? stages_of(*names) : Stages()) {
    const Member* first = nullptr;
    const ir::Target* wanted = nullptr;
    for (const auto& [block, member] : members) {
      const ir::Target* target = target_of(context.recipe, (*claims)[member.at]);
      if (target == nullptr ||
          (first != nullptr && names->shape(member.at)->front() != names->shape(first->at)->front())) {
        continue;
      }
      if (wanted != nullptr && wanted->sparsity.value != target->sparsity.value) {
        report(context, (*names)[first->at], *wanted, (*names)[member.at], *target);
        break;
      }
      first = first == nullptr ? &member : first;
      wanted = wanted == nullptr ? target : wanted;
    }
  }
}

}  // namespace

void check_coupled(const Context& context) {
  check_names_of(context, context.parameters, model::Selector::Over::parameters);
  check_names_of(context, context.modules, model::Selector::Over::modules);
}

}  // namespace sparsecfg::check
