#include "dialect/distiller/table.h"

#include <algorithm>
#include <array>

namespace sparsecfg::dialect::distiller {

constexpr SectionSpec kSections[] = {
    {Section::pruners, "pruners", "pruner", "name"},
    {Section::regularizers, "regularizers", "regularizer", "name"},
    {Section::quantizers, "quantizers", "quantizer", "optimizer"},
    {Section::extensions, "extensions", "extension", ""},
    {Section::lr_schedulers, "lr_schedulers", "lr_scheduler", "optimizer last_epoch"},
    {Section::loss_lr_schedulers, "loss_lr_schedulers", "loss_lr_scheduler", "optimizer last_epoch"},
};

std::span<const SectionSpec> sections(Fork fork) {
  const std::span<const SectionSpec> all = kSections;
  return fork == Fork::ai8x ? all : all.first(all.size() - 1);
}

const SectionSpec& spec_of(Section section) { return kSections[static_cast<std::size_t>(section)]; }

const SectionSpec* find_section(std::string_view name) {
  const auto* const found = std::ranges::find(kSections, name, &SectionSpec::name);
  return found == std::end(kSections) ? nullptr : found;
}

const ClassSpec* find_class(std::string_view name) {
  for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
    const auto found = std::ranges::find(classes, name, &ClassSpec::name);
    if (found != classes.end()) {
      return &*found;
    }
  }
  return nullptr;
}

constexpr FieldSpec kPruningArguments[] = {
    {.name = "levels",
     .type = Type::any_mapping,
     .default_value = "null",
     .nullable = true,
     .doc = "New levels for the pruner. They stay in force, also for its other policies."},
    {.name = "keep_mask",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Make the zeros permanent in the last active epoch, which must be the one before `ending_epoch`."},
    {.name = "mini_batch_pruning_frequency",
     .type = Type::number,
     .default_value = "0",
     .phase = Moment::step,
     .doc = "Steps between mask updates within an active epoch. 0 updates only at the start of the epoch."},
    {.name = "mask_on_forward_only",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Mask weights only in the forward pass, so that masked weights continue to train."},
    {.name = "mask_gradients",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Also mask gradients. Requires `mask_on_forward_only`."},
    {.name = "use_double_copies",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Keep a dense copy of the masked weights."},
    {.name = "discard_masks_at_minibatch_end",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Discard all masks after each step, including those of other pruners."},
    {.name = "skip_first_minibatch",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Start the first active epoch without pruning. Only epoch 0 prunes at its second step instead."},
    {.name = "fold_batchnorm",
     .type = Type::truth,
     .default_value = "false",
     .doc = "Fold the following batch norm into convolutions before ranking."},
};

std::span<const FieldSpec> pruning_arguments() { return kPruningArguments; }

constexpr std::string_view kGroups[] = {"2D",      "Rows", "Cols", "Rows+Cols",   "Cols+Rows",  "Channels",
                                        "Filters", "3D",   "4D",   "Channels+4D", "4D+Channels"};

std::span<const std::string_view> weight_groups() { return kGroups; }

}  // namespace sparsecfg::dialect::distiller
