#include "dialect/sparseml/staged/read.h"

#include <algorithm>

#include "dialect/sparseml/staged/arguments.h"
#include "dialect/sparseml/staged/rules.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::sparseml::staged {

ir::Recipe read(const source::SourceFile& file, const doc::Document& document, const ReadOptions& options,
                diag::Sink& sink) {
  doc::check_json(file, sink);
  Layout layout = find_modifiers(document, sink);
  Arguments arguments(std::move(layout.arguments), options.variables, sink);
  const Reading reading{
      file, table(), sink, [&](source::Value& value) { return arguments.evaluate(value); }, {}, options.custom.get()};
  std::vector<Modifier> modifiers;
  int ordinal = 0;
  bool incomplete = false;
  for (const Written& written : layout.modifiers) {
    auto modifier = stages::read_modifier(reading, written, ++ordinal);
    incomplete = incomplete || !modifier || stages::is_opaque(table(), *modifier);
    if (modifier) modifiers.push_back(std::move(*modifier));
  }

  ir::Recipe recipe{"sparseml", {}, arguments.list(), arguments.metadata(), std::nullopt};
  recipe.incomplete = incomplete;
  const bool all_sound = std::ranges::all_of(modifiers, &Modifier::valid);
  recipe.length = all_sound ? training_length(modifiers) : std::nullopt;
  const Run run{options.epochs, options.steps_per_epoch};
  for (const Modifier& modifier : modifiers) {
    if (modifier.valid) {
      check_run(reading, modifier, run);
    }
    recipe.actions.push_back(lower(modifier));
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::sparseml::staged
