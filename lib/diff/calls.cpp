#include "diff/calls.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sparsecfg::diff {

namespace {

// Returns the recipe that was compiled, if code contains it; else null.
const ir::FoundRecipe* in_code(const Compilation& compilation) {
  const ir::FoundRecipe* found = compilation.chosen ? &compilation.recipes[*compilation.chosen] : nullptr;
  return found != nullptr && found->model ? found : nullptr;
}

// Returns the model that calls pass with the recipe, or null.
const ir::CallModel* passed_model(const Compilation& compilation) {
  if (compilation.passed) return &*compilation.passed;
  const ir::FoundRecipe* found = in_code(compilation);
  return found != nullptr && !found->calls.empty() ? &*found->model : nullptr;
}

std::string title_of(const ir::CallModel& model) {
  return model.loader.empty() ? fmt::format("`{}`", base::printable(model.id))
                              : fmt::format("`{}` ({})", base::printable(model.id), model.loader);
}

Change change_of(std::string what, std::string detail) {
  return {Change::Kind::call, std::move(what), {}, {}, {}, {std::move(detail)}, {}};
}

std::string place_of(const ir::FoundRecipe& recipe) {
  return recipe.calls.empty() ? "no call" : fmt::format("the call at line {}", recipe.calls.front().first);
}

// A recipe that no call receives does nothing, unless another script imports it.
void compare_use(const ir::FoundRecipe& before, const ir::FoundRecipe& after, Difference& out) {
  if (before.calls.empty() == after.calls.empty()) return;
  out.changes.push_back(
      change_of("call that receives the recipe", fmt::format("{} -> {}", place_of(before), place_of(after))));
}

void compare_models(const ir::CallModel& before, const ir::CallModel& after, Difference& out) {
  const bool known = !before.id.empty() && !after.id.empty();
  if (before.is_same(after) && (known || before.unknown.why == after.unknown.why)) return;
  if (known) {
    out.changes.push_back(change_of("model", fmt::format("{} -> {}", title_of(before), title_of(after))));
  } else {
    const ir::CallModel& unknown = after.id.empty() ? after : before;
    out.not_compared.push_back("the model of one script is unknown: " + unknown.unknown.message());
  }
}

}  // namespace

void compare_calls(const Compilation& before, const Compilation& after, Difference& out) {
  const ir::FoundRecipe* one = in_code(before);
  const ir::FoundRecipe* other = in_code(after);
  if (one != nullptr && other != nullptr) compare_use(*one, *other, out);
  const ir::CallModel* model = passed_model(before);
  const ir::CallModel* other_model = passed_model(after);
  const bool are_scripts = !before.passed && !after.passed;
  if (are_scripts && out.same_text) return;
  if (model != nullptr && other_model != nullptr) compare_models(*model, *other_model, out);
}

}  // namespace sparsecfg::diff
