#include "dialect/nni/read.h"

#include "dialect/nni/arguments.h"
#include "dialect/nni/entry_rules.h"
#include "dialect/nni/layout.h"
#include "dialect/nni/legacy.h"
#include "dialect/nni/lower.h"
#include "dialect/nni/older.h"
#include "dialect/nni/target_rules.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::nni {

static std::vector<std::vector<Target>> read_3_0(Configuration& configuration, const Context& context) {
  for (Compressor& compressor : configuration.compressors) {
    const bool translated = is_legacy(compressor);
    if (translated) {
      translate(compressor, context);
    }
    for (Entry& entry : compressor.entries) {
      if (entry.sound) check_entry(entry, compressor.mode, translated, context);
    }
  }
  check_arguments(configuration, context);
  std::vector<std::vector<Target>> targets = resolve(configuration, context);
  for (std::size_t at = 0; at < targets.size(); ++at) {
    Compressor& compressor = configuration.compressors[at];
    check_targets(compressor, targets[at], context);
    check_fusion(compressor, targets[at], context);
    check_masks(compressor, targets[at], context);
  }
  return targets;
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const source::Value root = doc::construct(source.document, source.document.root, sink);
  const std::set<source::Span> tuples;
  const Context context{options, tuples, false, sink};
  Configuration configuration = find_compressors(root, false, context);
  std::vector<std::vector<Target>> targets(configuration.compressors.size());
  if (configuration.sound) {
    targets = options.nni == NniRelease::v3_0 ? read_3_0(configuration, context) : read_older(configuration, context);
  }
  ir::Recipe recipe = lower(configuration, targets, context);
  for (ir::Action& action : recipe.actions) {
    action.sound = action.sound && configuration.sound;
  }
  return recipe;
}

}  // namespace sparsecfg::dialect::nni
