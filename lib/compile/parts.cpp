#include "compile/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "compile/model.h"
#include "diag/levels.h"
#include "dialect/runtime.h"
#include "doc/fixes.h"
#include "doc/readers.h"
#include "outcome/outcome.h"

namespace sparsecfg {

using source::Span;

std::string extension_of(const std::string& name) { return base::to_lower(base::ending_of(name)); }

Checked check_recipe(const ir::Recipe& recipe, const CompileOptions& options, diag::Sink& sink) {
  std::optional<double> epochs = options.read.epochs;
  if (!epochs && recipe.length) {
    epochs = recipe.length->epochs;
  }
  const auto steps_per_epoch = options.read.steps_per_epoch ? options.read.steps_per_epoch : recipe.steps_per_epoch;
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  const bool valid = std::ranges::all_of(recipe.actions, &ir::Action::valid);
  std::optional<outcome::Outcome> outcome;
  const std::vector<model::Module>* modules = options.read.modules.get();
  if (valid && modules != nullptr && outcome::has_outcome(recipe)) outcome = outcome::evaluate(recipe, *modules);
  const bool known = outcome && outcome->complete && (dialect == nullptr || !dialect->parts_of_modules);
  const check::Context context{
      recipe,
      options.parameters,
      options.modules,
      epochs,
      steps_per_epoch,
      sink,
      dialect == nullptr ? ir::ShapeRules() : dialect->shapes,
      dialect == nullptr ? ir::Remedies() : dialect->remedies,
      known ? &*outcome : nullptr,
      known ? &outcome::names_of(recipe, *modules) : nullptr,
      dialect != nullptr && dialect->own_entry_rules,
      options.read.epochs ? fmt::format("the run (`--epochs {}`)", *options.read.epochs) : "training"};
  for (const check::Check& check : check::checks()) {
    check.run(context);
  }
  dialect::check_runtime(recipe, options.read, sink);
  if (outcome) check_model(recipe, *outcome, options, sink);
  return {valid, std::move(outcome)};
}

std::vector<ir::Origin> origins_of(const ir::Recipe& recipe, const doc::Document& document, bool text) {
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (dialect != nullptr && dialect->objects != nullptr) {
    return dialect->objects->origins(recipe, {doc::places_with(document, dialect::kConstructedTag),
                                              doc::places_with(document, doc::kNotLiteralTag), text});
  }
  std::vector<ir::Origin> out;
  std::ranges::transform(recipe.actions, std::back_inserter(out), &ir::Action::origin);
  const auto same = [](const ir::Origin& a, const ir::Origin& b) { return a.span == b.span && a.ordinal == b.ordinal; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

// Nodes are created after their parts, so one pass finds the collections that contain an unknown value.
static std::vector<bool> known_nodes(const doc::Document& document) {
  std::vector<bool> known(document.nodes.size(), true);
  for (std::size_t pass = 0, changes = 1; pass < 2 || (changes > 0 && pass < document.nodes.size()); ++pass) {
    changes = 0;
    for (std::size_t at = 0; at < document.nodes.size(); ++at) {
      const doc::Node& node = document.nodes[at];
      const bool now = node.tag != doc::kNotLiteralTag && std::ranges::all_of(node.items, [&](doc::NodeId item) {
                         return known[static_cast<std::size_t>(document.resolve(item))];
                       });
      changes += known[at] != now ? 1 : 0;
      known[at] = now;
    }
  }
  return known;
}

std::set<Span> keys_of_unknown(const doc::Document& document) {
  std::set<Span> out;
  const std::vector<bool> known = known_nodes(document);
  for (const doc::Node& node : document.nodes) {
    for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
      const doc::NodeId value = document.resolve(node.items[at + 1]);
      const bool collection = document[value].kind != doc::Kind::scalar;
      const bool any = document[node.items[at]].text == "**";
      if (!any && (!collection || known[static_cast<std::size_t>(value)])) continue;
      out.insert(document[node.items[at]].span);
      if (document[value].kind == doc::Kind::sequence) out.insert(document[value].span);
    }
  }
  return out;
}

// Writes the name of the file in a command of a help line.
static void name_file(std::string& help, const std::string& name) {
  constexpr std::string_view kCommand = "`sparsecfg match FILE";
  const std::size_t at = help.find(kCommand);
  const bool is_path = !name.empty() && name.find_first_of("<> '\"`") == std::string::npos;
  if (at == std::string::npos || !is_path) return;
  help.replace(at + kCommand.size() - std::string_view("FILE").size(), std::string_view("FILE").size(),
               base::printable(name));
}

void settle_findings(const source::SourceFile& file, const doc::Document* document,
                     std::vector<diag::Diagnostic>& findings, std::optional<doc::Language> language) {
  std::vector<Span> comments;
  for (std::size_t at = 0; document != nullptr && at < document->comments.size(); ++at) {
    comments.push_back(document->comments[at].span);
  }
  for (diag::Diagnostic& finding : findings) {
    name_file(finding.help, file.name());
    name_file(finding.usual_help, file.name());
  }
  doc::resolve_fixes(file, document, findings, language.value_or(doc::language_of(file, document)));
  diag::suppress(findings, file, comments);
}

}  // namespace sparsecfg
