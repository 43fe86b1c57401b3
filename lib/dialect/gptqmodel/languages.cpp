#include "dialect/gptqmodel/languages.h"

#include <string>
#include <vector>

#include "dialect/gptqmodel/definitions.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/selection.h"

namespace sparsecfg::dialect::gptqmodel {

using ir::Decisions;
using ir::Selection;
using selectors::Fact;
using selectors::How;
using selectors::Mark;
using selectors::Reader;
using selectors::Space;

static std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Returns flags within a pattern as a group over the rest of the pattern, as PCRE2 reads them.
static std::string with_flag_groups(const std::string& text) {
  const std::size_t open = text.find("(?", 1);
  const std::size_t close = open == std::string::npos ? open : text.find_first_not_of("ims", open + 2);
  const bool flags = close != std::string::npos && close > open + 2 && text[close] == ')';
  return flags ? text.substr(0, close) + ":" + text.substr(close + 1) + ")" : text;
}

// Converts the syntax of PCRE2 to that of Python's `re` (docs/semantics/gptqmodel.md#b1-1).
static std::vector<std::string> from_pcre(std::string_view pattern) {
  std::string text(pattern);
  const bool looks_behind = text.find("(?<=") != std::string::npos || text.find("(?<!") != std::string::npos;
  if (!looks_behind) text = replaced(std::move(text), "(?<", "(?P<");
  text = replaced(std::move(text), "[[:digit:]]", "\\d");
  text = replaced(std::move(text), "\\h", "[ \\t]");
  text = replaced(std::move(text), "\\z", "\\Z");
  return {with_flag_groups(text)};
}

constexpr Reader kOwnReader{
    .name{"GPTQModel"},
    .fields = {"dynamic"},
    .polarity = selectors::Polarity::assign,
    .compares_with = {Space::name, Space::alias},
    .how = {How::match},
    .marks = {Mark{.prefix = "-:", .compares_with = {Space::name, Space::alias, Space::relative}, .excludes = true},
              Mark{.prefix = "+:"}},
    .rewrite = from_pcre,
    .reaches = {.classes = {}, .facts = {Fact::quantizable}},
};

constexpr Reader kVllmReader{
    .name{"vLLM gptq"},
    .fields = {"dynamic"},
    .polarity = selectors::Polarity::assign,
    .how = {How::match},
    .marks = {Mark{.prefix = "-:", .excludes = true}, Mark{.prefix = "+:"}},
};

constexpr Reader kTensorsReader{
    .name{"vLLM gptq, quantized tensors"}, .fields = {"modules_in_block_to_quantize"}, .how = {How::exact}};

// Other names that GPTQModel tries: without `language_model.`, and of experts the name in the block.
static void add_names(selectors::Module& module, const std::string& relative) {
  std::string alias = replaced(module.name, ".language_model.", ".");
  if (alias != module.name) module.others.push_back({Space::alias, std::move(alias)});
  if (relative.empty()) return;
  module.others.push_back({Space::relative, relative});
  if (relative.find(".experts.") != std::string::npos) module.others.push_back({Space::alias, relative});
}

std::vector<selectors::Module> modules_with_facts(std::span<const model::Module> modules, bool head) {
  std::vector<selectors::Module> out = quantizers::plain_modules(modules);
  const std::vector<std::string> names = names_in_blocks(modules);
  for (std::size_t at = 0; at < out.size(); ++at) {
    add_names(out[at], names[at]);
    if (!names[at].empty() || (head && out[at].name == "lm_head")) out[at].facts.add(Fact::quantizable);
  }
  return out;
}

static Decisions decide_own(const Selection& selection, std::span<const model::Module> modules, bool head) {
  const auto entries = quantizers::prepared(kOwnReader, quantizers::entries_of(selection));
  return quantizers::decide(kOwnReader, entries, modules_with_facts(modules, head), selection);
}

static Decisions decide_layers(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                               std::span<const model::Module> modules) {
  return decide_own(selection, modules, false);
}

static Decisions decide_with_head(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                  std::span<const model::Module> modules) {
  return decide_own(selection, modules, true);
}

static Decisions decide_vllm(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                             std::span<const model::Module> layers) {
  const auto entries = quantizers::prepared(kVllmReader, quantizers::entries_of(selection));
  return quantizers::decide(kVllmReader, entries, quantizers::runtime_modules(layers), selection);
}

static Decisions decide_tensors(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                std::span<const model::Module> layers) {
  const auto entries = quantizers::prepared(kTensorsReader, quantizers::entries_of(selection));
  return quantizers::decide(kTensorsReader, entries, quantizers::plain_modules(layers), selection);
}

constinit const ir::Language kOwn{.name{"GPTQModel"}, .decide = decide_layers, .reader = &kOwnReader};
constinit const ir::Language kOwnWithHead{
    .name{"GPTQModel with lm_head"}, .decide = decide_with_head, .reader = &kOwnReader};
constinit const ir::Language kVllm{.name{"vLLM gptq"}, .decide = decide_vllm, .reader = &kVllmReader};
constinit const ir::Language kVllmTensors{
    .name{"vLLM gptq, quantized tensors"}, .decide = decide_tensors, .order_matters = false, .reader = &kTensorsReader};

}  // namespace sparsecfg::dialect::gptqmodel
