#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/selected/codes.h"
#include "dialect/selected/selected.h"
#include "ir/matching.h"
#include "model/output_layer.h"
#include "regex/literal.h"

// Whole outputs of the last layer of a model that are pruned.
namespace sparsecfg::dialect::selected {

DIAGNOSTIC(
    MD936, output_layer_pruned, warning, (Text, Text), "{} outputs of `{}`, the last layer of the model, are pruned",
    "The filters, or rows, of the last layer are the outputs of the model, such as its classes. A pruner of whole "
    "outputs sets the score of each pruned class to 0. The last layer is recognized by its place and its name. A "
    "recipe that writes its full name is not reported.",
    "leave `{1}` out of the selection")

namespace {

// Returns true if a field of the recipe contains the name, so that it was chosen on purpose.
bool is_written(const ir::Action& action, const std::string& name) {
  const auto is_name = [&](const source::Value& value) {
    const auto* text = value.get<std::string>();
    return text != nullptr && *text == name;
  };
  return std::ranges::any_of(action.origin.fields, [&](const ir::OriginField& field) {
    const auto* list = field.value.get<source::List>();
    return is_name(field.value) || (list != nullptr && std::ranges::any_of(*list, is_name));
  });
}

// Returns a pattern for the weights that a target decides, without one of them; empty if none is found.
std::string pattern_without(const model::ModelNames& names, const std::vector<std::size_t>& others) {
  constexpr std::size_t kMost = 8;
  std::set<std::string> words;
  for (const std::size_t at : others) {
    std::string_view name = names[at];
    if (name.ends_with(model::kWeightEnding)) name.remove_suffix(model::kWeightEnding.size());
    words.insert(regex::literal(std::string(model::end_of_name(name))));
  }
  if (words.empty() || words.size() > kMost) return {};
  const std::string text = fmt::format(".*({})\\.weight$", fmt::join(words, "|"));
  const model::ModelNames::Taken taken = names.matched({model::Term::Kind::pattern, text, {}});
  std::vector<std::size_t> found;
  for (const auto& [first, last] : taken.ranges) {
    for (std::size_t at = first; at < last; ++at) found.push_back(at);
  }
  return taken.certain && found == others ? text : std::string();
}

class OutputCheck {
 public:
  OutputCheck(const ir::Recipe& recipe, const model::ModelNames& names, const Writing& writing, diag::Sink& sink)
      : recipe_(recipe), names_(names), writing_(writing), sink_(sink) {}

  void check() {
    const auto last = model::output_layer_of(names_);
    const auto claims = last ? ir::claims_on(recipe_, names_, writing_.over) : std::nullopt;
    if (!claims) return;
    for (const ir::Claim& claim : (*claims)[*last]) {
      const ir::Action& action = recipe_.actions[claim.action];
      const auto* prune = action.valid ? std::get_if<ir::Prune>(&action.effect) : nullptr;
      const bool filters = prune != nullptr && prune->structure.kind == ir::Structure::Kind::filter && claim.decides;
      if (!filters || claim.selector >= prune->targets.size() || is_written(action, names_[*last])) continue;
      report(action, *prune, prune->targets[claim.selector], claim, *last, *claims);
      return;
    }
  }

 private:
  void report(const ir::Action& action, const ir::Prune& prune, const ir::Target& target, const ir::Claim& claim,
              std::size_t at, const std::vector<std::vector<ir::Claim>>& claims) {
    const auto outputs = static_cast<double>(names_.shape(at)->front());
    const double removed = std::floor(outputs * std::clamp(target.sparsity.value, 0.0, 1.0) + 1e-9);
    if (removed < 1) return;
    const std::string count =
        prune.global ? fmt::format("some of the {}", outputs) : fmt::format("{} of the {}", removed, outputs);
    const source::Span place =
        claim.term == nullptr || claim.term->span.empty() ? action.origin.span : claim.term->span;
    auto& report = sink_.report(diag::output_layer_pruned, place, count, names_[at]);
    if (!target.sparsity.span.empty()) report.with_label(target.sparsity.span, "the fraction of outputs to remove");
    if (writing_.offers_patterns) offer_pattern(report, claim, at, claims);
    if (writing_.leave != nullptr) report.with_help(writing_.leave(names_[at]));
  }

  // Offers a pattern for the other weights that the same term selects.
  void offer_pattern(diag::Diagnostic& report, const ir::Claim& claim, std::size_t at,
                     const std::vector<std::vector<ir::Claim>>& claims) const {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < claims.size(); ++other) {
      const auto same = [&](const ir::Claim& each) { return each.action == claim.action && each.term == claim.term; };
      if (other != at && std::ranges::any_of(claims[other], same)) others.push_back(other);
    }
    const std::string pattern = pattern_without(names_, others);
    if (pattern.empty() || claim.term == nullptr) return;
    const std::string text = std::string(writing_.prefix) + pattern;
    if (claim.term->kind == model::Term::Kind::pattern) {
      report.with_help(fmt::format("write `{}`", text)).with_fix(diag::Fix::unsafe().content(claim.term->span, text));
      return;
    }
    const std::string list = fmt::format("['{}']", text);  // in place of a token
    report.with_help(fmt::format("write `{}`", list)).with_fix(diag::Fix::unsafe().replace(claim.term->span, list));
  }

  const ir::Recipe& recipe_;
  const model::ModelNames& names_;
  const Writing& writing_;
  diag::Sink& sink_;
};

}  // namespace

bool removes_outputs(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions, [](const ir::Action& action) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    return action.valid && prune != nullptr && prune->structure.kind == ir::Structure::Kind::filter;
  });
}

void check_output_layer(const ir::Recipe& recipe, const model::ModelNames& names, const Writing& writing,
                        diag::Sink& sink) {
  if (names.has_shapes() && removes_outputs(recipe)) OutputCheck(recipe, names, writing, sink).check();
}

}  // namespace sparsecfg::dialect::selected
