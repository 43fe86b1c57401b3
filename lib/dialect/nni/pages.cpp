#include "dialect/nni/read.h"

#include <fmt/format.h>

#include "dialect/dialect.h"
#include "dialect/nni/table.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::nni {

// Keys of NNI configurations outside classes and entries.
constexpr LayoutWord kLayoutWords[] = {
    {"compressors", "Compressors that run together: a list of mappings with `class` and `config_list`."},
    {"pruner", "The pruner that uses the `config_list`: a mapping with `class` and its arguments."},
    {"quantizer", "The quantizer that uses the `config_list`: a mapping with `class` and its arguments."},
    {"distiller", "The distiller that uses the `config_list`: a mapping with `class` and its arguments."},
    {"class", "The class of a compressor."},
    {"mode", "Purpose of a `config_list` without a compressor class: pruning, quantization or distillation."},
    {"compress", "Arguments of `compress()`, which set the length of the run."},
    {"max_steps", "Length of the run in optimizer steps; a key of `compress`."},
    {"max_epochs", "Length of the run in epochs; a key of `compress`."},
};

static std::string_view reader_of(Mode mode) {
  switch (mode) {
    case Mode::pruning: return "NNI, pruning";
    case Mode::quantization: return "NNI, quantization";
    case Mode::distillation: return "NNI, distillation";
  }
  return {};
}

// Returns the entry of a key, with its type.
static FieldPage page_of_key(const FieldSpec& key) {
  FieldPage page = page_of(key);
  if (!allows(key.type, Type::choice | Type::exact_float)) page.facts.insert(page.facts.begin(), describe(key));
  return page;
}

static void add_entry_page(std::vector<Page>& out, Mode mode) {
  Page page{"config_list",
            std::string(to_string(mode)),
            reader_of(mode),
            "One entry: selected modules and their settings.",
            {},
            true};
  for (const auto keys : {selection_keys(), setting_keys(mode)}) {
    for (const FieldSpec& key : keys) {
      page.fields.push_back(page_of_key(key));
    }
  }
  out.push_back(std::move(page));
}

static void add_key_pages(std::vector<Page>& out, std::span<const FieldSpec> keys, std::string_view reader) {
  for (const FieldSpec& key : keys) {
    out.push_back({key.name, "", reader, "A key of `config_list` entries.", {page_of_key(key)}, false});
  }
}

std::vector<Page> pages() {
  std::vector<Page> out;
  for (const ClassSpec& spec : classes()) {
    out.push_back(page_of(spec, reader_of(spec.section.as<Mode>())));
  }
  add_key_pages(out, selection_keys(), "NNI");
  for (const Mode mode : kModes) {
    add_entry_page(out, mode);
    add_key_pages(out, setting_keys(mode), reader_of(mode));
  }
  add_key_pages(out, legacy_keys(), "NNI 2.x");
  add_key_pages(out, epoch_keys(), "NNI 1.x");
  add_layout_pages(out, kLayoutWords, "NNI");
  return out;
}

}  // namespace sparsecfg::dialect::nni
