#include "dialect/llmcompressor/reading.h"

#include "dialect/llmcompressor/detect.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::llmcompressor {

static void check_modifier(const Reading& reading, const Modifier& modifier, const ReadOptions& options,
                           TargetPairs& pairs) {
  check_release(reading, modifier, release_of(options));
  check_values(reading, modifier);
  check_calibration(reading, modifier);
  if (quantizes(meaning_of(modifier))) {
    check_numbers(reading, modifier);
    check_quantization(reading, modifier, release_of(options), pairs);
  }
  check_pruning(reading, modifier);
  check_transform(reading, modifier);
  check_write_back(reading, modifier);
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  doc::check_json(source.file, sink);
  doc::report_unknown_tags(source.document, "llm-compressor", sink);
  const Reading reading{source.file, table(), sink};
  std::vector<Modifier> modifiers;
  int ordinal = 0;
  for (const stages::Written& written : find_modifiers(source.document, stage_of(options), sink)) {
    if (auto modifier = stages::read_modifier(reading, written, ++ordinal)) {
      modifiers.push_back(std::move(*modifier));
    }
  }
  ir::Recipe recipe{"llm-compressor", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  TargetPairs pairs(options.modules.get());
  for (const Modifier& modifier : modifiers) {
    check_modifier(reading, modifier, options, pairs);
    recipe.actions.push_back(lower(modifier, options.modules.get()));
  }
  check_order(reading, modifiers, release_of(options), pairs);
  if (options.modules != nullptr) {
    check_names(reading, modifiers, *options.modules);
  }
  if (options.detected && may_be_sparseml(source.document)) {
    sink.report(diag::read_as_llm_compressor, source.document[source.document.root].span)
        .with_help("if it is SparseML's, say so with `--from sparseml`");
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::llmcompressor
