#include "dialect/llmcompressor/describe.h"

#include <fmt/format.h>

#include "dialect/llmcompressor/layout_words.h"
#include "dialect/llmcompressor/records.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/versions.h"

namespace sparsecfg::dialect::llmcompressor {

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

std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec& spec : table().modifiers) pages.push_back(page_of(spec, kReader));
  for (const ClassSpec* spec : {&kQuantizationScheme, &kQuantizationArgs, &kAwqMapping}) {
    pages.push_back(page_of(*spec, kReader));
  }
  pages.push_back(presets_page());
  add_layout_pages(pages, kLayoutWords, kReader);
  return pages;
}

}  // namespace sparsecfg::dialect::llmcompressor
