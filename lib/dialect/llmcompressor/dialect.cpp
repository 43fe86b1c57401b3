#include <fmt/format.h>

#include "dialect/dialects.h"
#include "dialect/llmcompressor/oneshot_call.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/stages/schema.h"

namespace sparsecfg::dialect::llmcompressor {

// Returns the words that detect the dialect of unreadable text: class names as keys. In SparseML they are tags.
static std::span<const std::string_view> class_keys() {
  static const std::vector<std::string> kKeys = [] {
    std::vector<std::string> keys;
    for (const ClassSpec& spec : table().modifiers) {
      if ((spec.flags & kMasksTraining) == 0) keys.push_back(std::string(spec.name) + ":");
    }
    return keys;
  }();
  static const std::vector<std::string_view> kWords(kKeys.begin(), kKeys.end());
  return kWords;
}

// Descriptions of the structure of an llm-compressor recipe, apart from its modifiers.
constexpr LayoutWord kLayoutWords[] = {
    {"stages", "Top-level keys that end in `_stage`. The part before it is arbitrary."},
    {"quant_stage", "A common name of a stage. The word before `_stage` is arbitrary."},
    {"groups", "Keys of a stage that end in `_modifiers`. Each contains a mapping from modifiers to their fields."},
    {"quant_modifiers", "A common name of a group. The word before `_modifiers` is arbitrary."},
    {"pruning_modifiers", "A common name of a group. The word before `_modifiers` is arbitrary."},
    {"args", "Variables of SparseML recipes. llm-compressor reads and ignores them."},
    {"re:", "Prefix of a Python regular expression in a target, matched from the start of a name."},
};

constexpr std::string_view kReader = "llm-compressor";

static Page presets_page() {
  Page page{"presets", "", kReader, "Values of `scheme`, case-insensitive.", {}, true};
  for (const Preset& preset : presets()) {
    std::vector<std::string> facts;
    if (preset.since != Release::v0_1) facts.push_back(fmt::format("since {}", to_string(preset.since)));
    page.fields.push_back({preset.name, preset.doc, std::move(facts)});
  }
  return page;
}

// Returns the page of a class with the releases that have its fields, and with the fields that were removed.
static Page page_with_releases(const ClassSpec& spec) {
  Page page = page_of(spec, kReader);
  for (FieldPage& field : page.fields) {
    const FieldSpec* row = spec.find(field.name);
    if (row->since) field.facts.push_back(fmt::format("since {}", first_release_with(row->since->as<Release>())));
    if (row->removed) {
      field.facts.push_back(fmt::format("removed in {}", to_string(row->removed->release.as<Release>())));
    }
  }
  for (const FieldSpec& row : spec.former) {
    const auto removed = row.removed->release.as<Release>();
    if (removed == Release::v0_1) continue;  // only SparseML has the field
    page.fields.push_back({row.name, row.doc, {fmt::format("removed in {}", to_string(removed))}});
  }
  return page;
}

static Page oneshot_page() {
  Page page = page_of(kOneshotCall, kReader);
  page.listed = false;  // not a modifier
  for (const FieldSpec& row : kOneshotCall.former)
    page.fields.push_back({row.name, row.doc, {"only in older releases"}});
  return page;
}

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec& spec : table_of_scripts().modifiers) pages.push_back(page_with_releases(spec));
  for (const ClassSpec* spec : {&kQuantizationScheme, &kQuantizationArgs, &kAwqMapping}) {
    pages.push_back(page_of(*spec, kReader));
  }
  pages.push_back(presets_page());
  pages.push_back(oneshot_page());
  add_layout_pages(pages, kLayoutWords, kReader);
  return pages;
}

constexpr std::string_view kServedBy[] = {"vllm", "sglang", "compressed-tensors"};

const Dialect kDialect{
    .name = "llm-compressor",
    .title = "llm-compressor",
    .text = "an llm-compressor recipe",
    .claims = claims,
    .words = class_keys(),
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .other_names = other_names,
    .write = write,
    .plan = plan,
    .compose = compose,
    .maintained = true,
    .trains = false,
    .own_entry_rules = true,
    .options = kReaderOptions,
    .runtimes = {.programs = kServedBy, .releases = true, .splits = true, .experts = true, .kernels = true},
    .order = stages::kFieldOrder,
    .module = "llmcompressor",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::llmcompressor
