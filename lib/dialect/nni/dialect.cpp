#include "dialect/dialects.h"

#include "dialect/nni/read.h"
#include "dialect/nni/write.h"
#include "dialect/view.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::nni {

// Keys of an NNI configuration that no other kind of file has. `exclude` alone tells nothing: the
// files of many tools are lists with that key.
constexpr std::string_view kEntryKeys[] = {"op_types",         "op_names",         "op_names_re",         "op_partial_names",
                                      "exclude_op_types", "exclude_op_names", "exclude_op_names_re", "sparsity",
                                      "sparse_ratio",     "initial_sparsity", "total_sparsity",      "quant_types",
                                      "quant_bits",       "quant_dtype"};

static bool is_list(const View& list) {
  return list.any_item([](const View& item) { return item.has_key(kEntryKeys); });
}

// A list of configurations, alone or under `config_list`, at the top or one level below; several
// compressors; or, before 2.0, a class with its `config`.
static bool claims(const doc::Document& document) {
  const auto names_list = [](std::string_view key, const View& value) {
    return key == "config_list" || (key == "config" && is_list(value));
  };
  const View root(document);
  if (document[document.root].tag == doc::kScriptTag) {
    return root.any_entry([](std::string_view, const View& value) { return is_list(value); });
  }
  return is_list(root) || root.any_entry([&](std::string_view key, const View& value) {
    return key == "config_list" || (key == "compressors" && value.is(doc::Kind::sequence)) ||
           value.any_entry(names_list);
  });
}

constexpr std::string_view kWords[] = {"config_list", "op_types", "op_names"};

constexpr ReaderOption kOptions[] = {kReleaseOption, kPrunerOption};

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
    .options = kOptions,
    .shapes = {.block_place = ir::ShapeRules::BlockPlace::last_dimensions},
};

}  // namespace sparsecfg::dialect::nni
