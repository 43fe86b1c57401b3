#include "dialect/dialect.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/autoround/read.h"
#include "dialect/autoround/schemes.h"
#include "dialect/autoround/table.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers.h"
#include "dialect/quantizers/calls.h"
#include "doc/document.h"
#include "script/value.h"

namespace sparsecfg::dialect::autoround {

constexpr std::string_view kParameters[] = {"model",   "tokenizer", "platform", "scheme",   "layer_config",
                                            "dataset", "iters",     "seqlen",   "nsamples", "batch_size"};

constexpr quantizers::Callable kCallables[] = {{"AutoRound", "auto_round", kParameters},
                                               {"AutoRoundLLM", "auto_round", kParameters},
                                               {"AutoRoundMLLM", "auto_round", kParameters},
                                               {"AutoRoundAdam", "auto_round", kParameters},
                                               {"AutoRoundCompatible", "auto_round", kParameters}};

std::span<const quantizers::Callable> callables() { return kCallables; }

// --- detection --------------------------------------------------------------------------------------

static bool claims(const doc::Document& document) {
  if (document[document.resolve(document.root)].kind != doc::Kind::mapping) return false;
  const bool call = std::ranges::any_of(kCallables, [&](const quantizers::Callable& row) {
    return member(document, document.root, row.name).has_value();
  });
  if (call || member(document, document.root, kProgram)) return true;
  return has_quantization_of(document, "autoround");
}

// --- objects of scripts -----------------------------------------------------------------------------

static bool keeps_arguments(std::string_view path) { return path.starts_with("auto_round.") || path == ".AutoRound"; }

// A scheme object is the mapping of its arguments.
static script::Ref plain(const script::Value& value) {
  const bool scheme = value.kind == script::Value::Kind::object &&
                      base::last_part(value.path) == "QuantizationScheme" && value.items.size() == value.names.size() &&
                      !value.open;
  if (!scheme) return nullptr;
  script::Ref out = script::container(script::Value::Kind::dictionary, value.span);
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    out->items.push_back(script::scalar(value.names[at].span, value.names[at].value));
    out->items.push_back(value.items[at]);
  }
  return out;
}

constexpr std::string_view kObjectWords[] = {"AutoRound("};

constexpr ModelCall kModelCalls[] = {{"AutoRound", "auto_round", {"model", 0}},
                                     {"AutoRoundLLM", "auto_round", {"model", 0}},
                                     {"AutoRoundMLLM", "auto_round", {"model", 0}},
                                     {"AutoRoundAdam", "auto_round", {"model", 0}},
                                     {"AutoRoundCompatible", "auto_round", {"model", 0}}};

constexpr Objects kObjects =
    quantizers::objects_of_calls<kCallables, plain>(kObjectWords, keeps_arguments, kModelCalls);

// Returns the formats of the presets, in the order of their names.
static const std::vector<std::string>& preset_texts() {
  static const auto texts = [] {
    std::vector<std::string> out;
    for (const std::string_view name : preset_names()) {
      const ir::Scheme scheme = scheme_of(preset(name).value_or(Fields()));
      out.push_back(scheme.is_empty() ? "The layers stay in 16 bits." : ir::describe(scheme));
    }
    return out;
  }();
  return texts;
}

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes()) pages.push_back(page_of(*spec, "AutoRound"));
  Page presets{"presets", "", "AutoRound", "Values of `scheme`, in any letter case.", {}, true};
  for (std::size_t at = 0; at < preset_names().size(); ++at) {
    presets.fields.push_back({preset_names()[at], preset_texts()[at], {}});
  }
  pages.push_back(std::move(presets));
  return pages;
}

constexpr std::string_view kWords[] = {"auto_round", "AutoRound(", "\"quant_method\": \"auto-round\""};

constexpr std::string_view kServedBy[] = {"vllm", "sglang"};

const Dialect kDialect{
    .name{"autoround"},
    .title = "AutoRound",
    .text = "a configuration of AutoRound",
    .claims = claims,
    .words = kWords,
    .scripts = true,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .maintained = true,
    .trains = false,
    .options = kReaderOptions,
    .runtimes = {.programs = kServedBy},
    .remedies = {.pattern_prefix = ""},
    .module = "auto_round",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::autoround
