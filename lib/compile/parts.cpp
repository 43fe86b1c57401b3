#include "compile/parts.h"

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "diag/levels.h"
#include "doc/fixes.h"

namespace sparsecfg {

using source::Span;

std::string extension_of(const std::string& name) { return base::to_lower(base::ending_of(name)); }

bool check_recipe(const ir::Recipe& recipe, const CompileOptions& options, diag::Sink& sink) {
  std::optional<double> epochs = options.read.epochs;
  if (!epochs && recipe.length) {
    epochs = recipe.length->epochs;
  }
  const auto steps_per_epoch = options.read.steps_per_epoch ? options.read.steps_per_epoch : recipe.steps_per_epoch;
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  const check::Context context{recipe,
                               options.parameters,
                               options.modules,
                               epochs,
                               steps_per_epoch,
                               sink,
                               dialect == nullptr ? ir::ShapeRules() : dialect->shapes,
                               dialect == nullptr ? ir::Remedies() : dialect->remedies};
  for (const check::Check& check : check::checks()) {
    check.run(context);
  }
  return std::ranges::all_of(recipe.actions, &ir::Action::valid);
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

static bool is_known(const doc::Document& document, doc::NodeId id) {
  const doc::Node& node = document[document.resolve(id)];
  return node.tag != doc::kNotLiteralTag &&
         std::ranges::all_of(node.items, [&](doc::NodeId item) { return is_known(document, item); });
}

std::set<Span> keys_of_unknown(const doc::Document& document) {
  std::set<Span> out;
  for (const doc::Node& node : document.nodes) {
    for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
      const bool mapping = document[document.resolve(node.items[at + 1])].kind == doc::Kind::mapping;
      const bool any = document[node.items[at]].text == "**";
      if (any || (mapping && !is_known(document, node.items[at + 1]))) out.insert(document[node.items[at]].span);
    }
  }
  return out;
}

void settle_findings(const source::SourceFile& file, const doc::Document* document,
                     std::vector<diag::Diagnostic>& findings) {
  std::vector<Span> comments;
  for (std::size_t at = 0; document != nullptr && at < document->comments.size(); ++at) {
    comments.push_back(document->comments[at].span);
  }
  doc::resolve_fixes(file, document, findings);
  diag::suppress(findings, file, comments);
}

}  // namespace sparsecfg
