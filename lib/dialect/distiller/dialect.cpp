#include <algorithm>
#include <cmath>

#include "dialect/dialect.h"
#include "dialect/dialects.h"
#include "dialect/distiller/layout_words.h"
#include "dialect/distiller/read.h"
#include "dialect/distiller/table.h"
#include "dialect/distiller/write.h"
#include "dialect/view.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::distiller {

constexpr std::string_view kSectionNames[] = {"pruners", "regularizers", "quantizers", "lr_schedulers",
                                              "loss_lr_schedulers"};
constexpr std::string_view kInstances[] = {"pruner",       "regularizer",       "quantizer",
                                           "lr_scheduler", "loss_lr_scheduler", "extension"};
constexpr std::string_view kClassPages[] = {"class"};

// `policies` and `extensions` are common section names in other files, so their contents are also checked.
static bool claims(const doc::Document& document) {
  const View root(document);
  return root.has_key(kSectionNames) || root.any_entry([](std::string_view key, const View& value) {
    return (key == "policies" && value.any_item([](const View& policy) { return policy.has_key(kInstances); })) ||
           (key == "extensions" &&
            value.any_entry([](std::string_view, const View& one) { return one.has_key(kClassPages); }));
  });
}

constexpr std::string_view kWords[] = {"policies:", "pruners:", "regularizers:", "quantizers:", "lr_schedulers:"};

static std::string schema_of(const ReadOptions&) { return schema(); }

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
    for (const ClassSpec& spec : classes) {
      pages.push_back(page_of(spec, "Distiller"));
      pages.back().listed = spec.kind != ClassKind::unusable;
    }
  }
  pages.push_back({"args", "", "Distiller, policies of pruners", "Arguments that a policy passes to its pruner.",
                   pages_of(pruning_arguments()), false});
  add_layout_pages(pages, kLayoutWords, "Distiller");
  return pages;
}

// The usual order of the fields of a policy: the component first, then the epochs.
constexpr std::string_view kPolicyNames[] = {
    "pruner",    "regularizer",    "quantizer",    "lr_scheduler", "loss_lr_scheduler",
    "extension", "starting_epoch", "ending_epoch", "frequency",    "epochs"};
constexpr std::string_view kPolicyWindow[] = {"starting_epoch", "ending_epoch", "frequency"};
constexpr std::span<const std::string_view> kPolicyRuns[] = {kPolicyWindow};

constexpr TimedField kPolicyTimes[] = {
    {"policy.starting_epoch", {}, Unit::epochs, true},
    {"policy.ending_epoch", {}, Unit::epochs, true},
    {"policy.epochs", {}, Unit::epochs, true},
};

// Only pruners have `frequency` as a time: it sets how often the mask is updated. For other components it decides in
// which epochs they act at all.
static std::vector<TimedField> times(const ir::Origin& origin) {
  std::vector<TimedField> out(std::begin(kPolicyTimes), std::end(kPolicyTimes));
  const ClassSpec* spec = find_class(origin.class_name);
  if (spec != nullptr) add_times(out, spec->fields, true);
  if (spec != nullptr && spec->section == Section::pruners) {
    out.push_back({"policy.frequency", {}, Unit::epochs_between, true});
  }
  return out;
}

const Dialect kDialect{
    .name = "distiller",
    .title = "Distiller",
    .text = "a Distiller schedule",
    .releases = "0.3.2 and its main branch",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema_of,
    .pages = pages,
    .write = write,
    .plan = plan,
    .options = kReaderOptions,
    .shapes = {.filters = ir::Ranks::four,
               .channels = ir::Ranks::two_or_four,
               .blocks = ir::Ranks::any,
               .block_place = ir::ShapeRules::BlockPlace::flattened},
    .remedies = {.keep_mask = "add `keep_mask: true` to `args`, to keep the mask until training ends",
                 .mask_release = "mask_on_forward_only",
                 .mask_keeper = "keep_mask: true"},
    .order = {kPolicyNames, kPolicyRuns},
    .times = times,
};

std::optional<double> last_milestone(const std::string& name, std::string text, double before) {
  const source::SourceFile file(name, std::move(text));
  diag::Sink sink;  // the schedule has its own findings when it is validated
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, {}, sink);
  const source::Value whole = document ? doc::construct(*document, document->root, sink) : source::Value();
  const source::Value* section = whole.find("lr_schedulers");
  const auto* schedulers = section == nullptr ? nullptr : section->get<source::Map>();
  std::optional<double> out;
  for (std::size_t at = 0; schedulers != nullptr && at < schedulers->size(); ++at) {
    const source::Value* milestones = (*schedulers)[at].second.find("milestones");
    const auto* list = milestones == nullptr ? nullptr : milestones->get<source::List>();
    if (list == nullptr) return std::nullopt;
    for (const source::Value& each : *list) {
      const auto number = each.number();
      if (number && *number > 0 && *number < before) out = std::max(out.value_or(0), std::floor(*number));
    }
  }
  return out;
}

}  // namespace sparsecfg::dialect::distiller
