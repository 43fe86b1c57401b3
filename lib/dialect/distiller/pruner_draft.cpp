#include "dialect/distiller/write.h"

namespace sparsecfg::dialect::distiller {

using source::Value;

static std::string_view group_of(const ir::Structure& structure) {
  return structure.kind == ir::Structure::Kind::channel ? "Channels"
         : structure.kind == ir::Structure::Kind::block ? "Blocks"
                                                        : "Filters";
}

static ComponentDraft level_of(const std::string& name, double level, const source::List& names) {
  source::Map levels;
  for (const Value& each : names) {
    levels.emplace_back(each, Value{level, {}});
  }
  return {Section::pruners, name, "SparsityLevelParameterPruner", {{word("levels"), Value{std::move(levels), {}}}}};
}

ComponentDraft pruner_of(const ir::Prune& prune, const std::string& name, double first, double last,
                         const source::List& names) {
  const bool whole = prune.structure.kind != ir::Structure::Kind::unstructured;
  const bool constant = first == last;
  if (constant && !whole) {
    return level_of(name, last, names);
  }
  const std::string ranked =
      prune.criterion == "l1" ? "L1RankedStructureParameterPruner" : "L2RankedStructureParameterPruner";
  ComponentDraft draft{Section::pruners,
                       name,
                       !whole     ? "AutomatedGradualPruner"
                       : constant ? ranked
                                  : ranked + "_AGP",
                       {}};
  if (!constant) {
    draft.arguments.emplace_back(word("initial_sparsity"), Value{first, {}});
    draft.arguments.emplace_back(word("final_sparsity"), Value{last, {}});
  }
  if (whole) {
    draft.arguments.emplace_back(word("group_type"), word(group_of(prune.structure)));
    if (prune.structure.kind == ir::Structure::Kind::block) {
      const source::List shape = {
          {prune.structure.n, {}}, {prune.structure.m, {}}, {std::int64_t{1}, {}}, {std::int64_t{1}, {}}};
      draft.arguments.emplace_back(word("kwargs"), Value{source::Map{{word("block_shape"), {shape, {}}}}, {}});
    }
  }
  if (constant) {
    draft.arguments.emplace_back(word("desired_sparsity"), Value{last, {}});
  }
  draft.arguments.emplace_back(word("weights"), Value{names, {}});
  return draft;
}

}  // namespace sparsecfg::dialect::distiller
