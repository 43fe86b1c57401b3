#include "dialect/nni/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dialect/dialect.h"
#include "dialect/nni/layout_words.h"
#include "dialect/nni/table.h"

namespace sparsecfg::dialect::nni {

static std::string_view reader_of(Mode mode) {
  switch (mode) {
    case Mode::pruning: return "NNI, pruning";
    case Mode::quantization: return "NNI, quantization";
    case Mode::distillation: return "NNI, distillation";
  }
  return {};
}

static std::string_view fact_of(Form form) {
  switch (form) {
    case Form::texts: return "a list of strings";
    case Form::settings: return "a mapping from targets to their settings";
    case Form::ratio:
    case Form::factor: return "a float, not an int";
    case Form::largest_ratio: return "above 0, at most 1";
    case Form::least_ratio: return "at least 0, below 1";
    case Form::group: return "an int or a string";
    case Form::whole: return "an int";
    case Form::granularity: return "a word, or a list of ints";
    case Form::word: return "";
    case Form::alignment: return "a mapping with module_name, target_name and dims";
    case Form::bit_type: return "a type such as int8 or uint4, or null";
    case Form::fusion: return "a list of groups of names";
    case Form::link: return "a string or a list of strings";
  }
  return {};
}

static FieldPage page_of(const KeySpec& key) {
  std::vector<std::string> facts = {key.required ? "required" : "", std::string(fact_of(key.form)),
                                    key.choices.empty() ? "" : fmt::format("one of {}", fmt::join(key.choices, ", ")),
                                    key.default_value.empty() ? "" : fmt::format("default: {}", key.default_value)};
  std::erase(facts, "");
  return {key.name, key.doc, std::move(facts)};
}

static void add_entry_page(std::vector<Page>& out, Mode mode) {
  Page page{"config_list",
            std::string(to_string(mode)),
            reader_of(mode),
            "One entry: selected modules and their settings.",
            {},
            true};
  for (const auto keys : {selection_keys(), setting_keys(mode)}) {
    for (const KeySpec& key : keys) {
      page.fields.push_back(page_of(key));
    }
  }
  out.push_back(std::move(page));
}

static void add_key_pages(std::vector<Page>& out, std::span<const KeySpec> keys, std::string_view reader) {
  for (const KeySpec& key : keys) {
    out.push_back({key.name, "", reader, "A key of `config_list` entries.", {page_of(key)}, false});
  }
}

std::vector<Page> pages() {
  std::vector<Page> out;
  for (const ClassSpec& spec : classes()) {
    out.push_back({spec.name, "", reader_of(spec.mode), spec.doc, pages_of(spec.arguments), true});
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
