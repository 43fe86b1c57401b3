#include "dialect/dialect.h"

#include <cmath>

#include "base/text.h"
#include "dialect/ai8x/read.h"
#include "dialect/dialects.h"
#include "dialect/view.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::ai8x {

constexpr std::string_view kStart[] = {"start_epoch"};
constexpr std::string_view kWeightBits[] = {"weight_bits"};
constexpr std::string_view kRareKeys[] = {"shift_quantile", "outlier_removal_z_score"};
constexpr std::string_view kOtherFiles[] = {"policies"};

// The keys of a QAT policy. In this format, only they are at the first level.
constexpr std::string_view kQatKeys[] = {"start_epoch", "weight_bits", "shift_quantile", "outlier_removal_z_score",
                                         "overrides"};

static bool has_only_qat_keys(const View& root) {
  return !root.any_entry([](std::string_view key, const View&) { return !base::contains(kQatKeys, key); });
}

// Policies have no sections, so all keys of the first level count. One of the two required keys of a QAT policy may be
// misspelled or missing.
static bool claims(const doc::Document& document) {
  const View root(document);
  const bool starts = root.has_key(kStart);
  const bool has_bits = root.has_key(kWeightBits);
  const bool is_qat = (starts && has_bits) || ((starts || has_bits) && root.has_key(kRareKeys)) ||
                      (has_bits && has_only_qat_keys(root));
  return !root.has_key(kOtherFiles) && (is_qat || (starts && root.has_key(kStages)));
}

// Words of files that can't be parsed.
constexpr std::string_view kWords[] = {"weight_bits:", "elastic_kernel:", "elastic_depth:", "elastic_width:"};

// Keys of policies that are not rows of a table.
constexpr LayoutWord kLayoutWords[] = {
    {"elastic_kernel", "First stage of a NAS policy: smaller kernels."},
    {"elastic_depth", "Second stage of a NAS policy: fewer layers."},
    {"elastic_width", "Third stage of a NAS policy: fewer channels."},
};

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes()) pages.push_back(page_of(*spec, "ai8x-training"));
  add_layout_pages(pages, kLayoutWords, "ai8x-training");
  return pages;
}

const Dialect kDialect{
    .name = "ai8x",
    .title = "ai8x-training",
    .text = "a policy of ai8x-training",
    .claims = claims,
    .words = kWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .maintained = true,
    .options = kReaderOptions,
    .also_loads = {"distiller", "distiller", "ai8x"},
    .unreadable = "ai8x-training only prints this error, and continues without the policy",
};

std::optional<double> start_of_qat(const std::string& name, std::string text) {
  const source::SourceFile file(name, std::move(text));
  diag::Sink sink;  // the policy has its own findings when it is validated
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, {}, sink);
  if (!document) {
    return std::nullopt;
  }
  const source::Value policy = doc::construct(*document, document->root, sink);
  const source::Value* start = policy.find("start_epoch");
  const auto number = start == nullptr || policy.find("weight_bits") == nullptr ? std::nullopt : start->number();
  const bool starts = number && *number > 0 && *number == std::floor(*number) && std::isfinite(*number);
  return starts ? number : std::nullopt;
}

}  // namespace sparsecfg::dialect::ai8x
