#include "dialect/dialects.h"

#include <algorithm>

#include "dialect/nni/read.h"
#include "dialect/nni/write.h"
#include "dialect/view.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::nni {

// Keys that identify NNI entries. `exclude` is not among them, because many tools use lists with this key.
constexpr std::string_view kEntryKeys[] = {
    "op_types",         "op_names",         "op_names_re",         "op_partial_names",
    "exclude_op_types", "exclude_op_names", "exclude_op_names_re", "sparsity",
    "sparse_ratio",     "initial_sparsity", "total_sparsity",      "quant_types",
    "quant_bits",       "quant_dtype"};

static bool is_list(const View& list) {
  return list.any_item([](const View& item) { return item.has_key(kEntryKeys); });
}

// Accepts a list of entries, plain or under `config_list` at the top or one level below; several compressors; and 1.x
// classes with `config`.
static bool claims(const doc::Document& document) {
  const auto names_list = [](std::string_view key, const View& value) {
    return key == "config_list" || (key == "config" && is_list(value));
  };
  const View root(document);
  if (document[document.root].tag == doc::kScriptTag) {
    return root.any_entry(
        [](std::string_view, const View& value) { return is_list(value) || value.has_key(kEntryKeys); });
  }
  return is_list(root) || root.any_entry([&](std::string_view key, const View& value) {
    return key == "config_list" || (key == "compressors" && value.is(doc::Kind::sequence)) ||
           value.any_entry(names_list);
  });
}

constexpr std::string_view kWords[] = {"config_list", "op_types", "op_names"};

constexpr ReaderOption kOptions[] = {kReleaseOption, kPrunerOption};

constexpr TimedField kOfTheRun[] = {
    {"configuration", "compress.max_steps", Unit::steps, true},
    {"configuration", "compress.max_epochs", Unit::epochs, true},
};

// Adds the times of pruners inside a scheduled pruner. They train again in each interval, so their steps scale with the
// interval. Their arguments are in the same mapping as those of the outer pruner.
static void add_inner_times(std::vector<TimedField>& out) {
  const std::size_t first = out.size();
  for (const ClassSpec& inner : classes()) {
    if (inner.section == Mode::pruning && inner.kind != Schedule::repeated) add_times(out, inner.fields, true);
  }
  for (std::size_t at = first; at < out.size(); ++at) out[at].unit = Unit::steps_between;
}

static std::vector<TimedField> times(const ir::Origin& origin) {
  if (origin.class_name.empty()) {
    return {std::begin(kOfTheRun), std::end(kOfTheRun)};
  }
  std::vector<TimedField> out;
  const ClassSpec* spec = find_class(origin.class_name);
  if (spec != nullptr) add_times(out, spec->fields, true);
  if (spec != nullptr && spec->kind == Schedule::repeated) add_inner_times(out);
  const auto given = [&](const FieldSpec& key) { return origin.find(key.name) != nullptr; };
  if (std::ranges::any_of(epoch_keys(), given)) add_times(out, epoch_keys(), true);
  return out;
}

const Dialect kDialect{
    .name = "nni",
    .title = "NNI",
    .text = "an NNI configuration",
    .claims = claims,
    .words = kWords,
    .scripts = true,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .write = write,
    .plan = plan,
    .options = kOptions,
    .shapes = {.block_place = ir::ShapeRules::BlockPlace::last_dimensions},
    .remedies = {.pattern_prefix = "", .last_mask = "set `training_steps` and `interval_steps` to the same number"},
    .times = times,
    .module = "nni",
};

}  // namespace sparsecfg::dialect::nni
