#include "dialect/dialect.h"

#include <algorithm>

#include "base/text.h"

#include "dialect/gptqmodel/calls.h"
#include "dialect/gptqmodel/read.h"
#include "dialect/gptqmodel/table.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers.h"
#include "dialect/quantizers/calls.h"
#include "dialect/record/schema.h"
#include "dialect/view.h"
#include "script/value.h"

namespace sparsecfg::dialect::gptqmodel {

constexpr std::string_view kParameters[] = {"bits", "dynamic",         "group_size", "desc_act",
                                            "sym",  "true_sequential", "lm_head"};
constexpr std::string_view kOldParameters[] = {"bits",     "group_size",    "damp_percent",
                                               "desc_act", "static_groups", "sym"};

constexpr quantizers::Callable kCallables[] = {{"QuantizeConfig", "gptqmodel", kParameters},
                                               {"GPTQConfig", "gptqmodel", kParameters},
                                               {"AWQConfig", "gptqmodel", kParameters},
                                               {"BaseQuantizeConfig", "auto_gptq", kOldParameters},
                                               {"BaseQuantizeConfig", "gptqmodel", kParameters}};

std::span<const quantizers::Callable> callables() { return kCallables; }

// --- detection --------------------------------------------------------------------------------------

constexpr std::string_view kModelKeys[] = {"architectures", "model_type",       "quantization_config",
                                           "config_groups", "modules_in_block", "extra_config"};
constexpr std::string_view kBits[] = {"bits", "w_bit", "wbits", "weight_bits"};
constexpr std::string_view kOwnKeys[] = {"desc_act",      "damp_percent", "true_sequential",
                                         "static_groups", "dynamic",      "checkpoint_format",
                                         "q_group_size",  "lm_head",      "group_size"};
constexpr std::string_view kMethodWords[] = {"gptq",      "awq", "marlin",    "bitblas", "fp8",
                                             "gptqmodel", "qqq", "paroquant", "exl3",    "gguf"};

// Keys that only GPTQModel writes.
constexpr std::string_view kMarks[] = {"dynamic", "meta", "lm_head", "checkpoint_format"};

// Returns true if the file names no method, or one that GPTQModel has. Other programs also write files of AWQ and FP8.
static bool has_own_method(const doc::Document& document) {
  for (const std::string_view key : {"quant_method", "method"}) {
    const auto method = member(document, document.root, key);
    if (!method || document[*method].kind != doc::Kind::scalar) continue;
    const std::string word = base::to_lower(document[*method].text);
    const bool shared = word == "awq" || word == "fp8";
    return (base::contains(kMethodWords, word) && (!shared || View(document).has_key(kMarks))) || word == "null";
  }
  return true;
}

// Returns true for the form with `version: 2`: its stages are a list.
static bool is_protocol(const doc::Document& document) {
  const auto stages = member(document, document.root, "stages");
  const auto version = member(document, document.root, "version");
  const bool alone = document[document.resolve(document.root)].items.size() == 2;
  if (!version) return false;
  return stages ? document[*stages].kind == doc::Kind::sequence : alone && document[*version].text == "2";
}

static bool claims(const doc::Document& document) {
  const View root(document);
  const bool saved = !root.has_key(kModelKeys) && root.has_key(kBits) && root.has_key(kOwnKeys);
  const bool without_bits = !root.has_key(kModelKeys) && root.has_key(kOwnKeys) &&
                            member(document, document.root, "quant_method").has_value();
  return quantizers::is_call(document, kCallables) || has_quantization_of(document, "gptqmodel") ||
         ((saved || without_bits) && has_own_method(document)) || (is_protocol(document) && !root.has_key(kModelKeys));
}

// --- objects of scripts -----------------------------------------------------------------------------

static bool keeps_arguments(std::string_view path) {
  return path.starts_with("gptqmodel.") || path.starts_with("auto_gptq.") || path == ".QuantizeConfig";
}

// Members of enums with another value than their name in lower case.
constexpr std::pair<std::string_view, std::string_view> kMembers[] = {{"PARO", "paroquant"}, {"LLM_AWQ", "llm-awq"}};

// Types of torch and members of enums are names.
static script::Ref plain(const script::Value& value) {
  if (value.kind != script::Value::Kind::name) return nullptr;
  const std::string_view path = value.path;
  const std::string_view name = base::last_part(path);
  const std::string_view before = path.substr(0, path.size() - std::min(path.size(), name.size() + 1));
  constexpr std::string_view kOwners[] = {"torch", "METHOD", "FORMAT", "QUANT_METHOD", "BACKEND"};
  if (!base::contains(kOwners, base::last_part(before))) return nullptr;
  const auto* member = std::ranges::find(kMembers, name, &std::pair<std::string_view, std::string_view>::first);
  return script::scalar(value.span, member == std::end(kMembers) ? base::to_lower(name) : std::string(member->second));
}

constexpr std::string_view kObjectWords[] = {"QuantizeConfig(", "QuantizeConfig ("};

constexpr Parameter kConfig{"quantize_config", 1};
constexpr Parameter kModel{"model_id_or_path", 0};
constexpr ModelCall kModelCalls[] = {
    {"GPTQModel.load", "gptqmodel", kModel, kConfig},
    {"GPTQModel.from_pretrained", "gptqmodel", kModel, kConfig},
    {"AutoGPTQForCausalLM.from_pretrained", "auto_gptq", {"pretrained_model_name_or_path", 0}, kConfig}};

constexpr Objects kObjects = [] {
  Objects out = quantizers::objects_of_calls<kCallables, plain>(kObjectWords, keeps_arguments, kModelCalls);
  out.check_script = check_script;
  out.keeps_object = keeps_object;
  return out;
}();

// --- pages ------------------------------------------------------------------------------------------

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes()) pages.push_back(page_of(*spec, "GPTQModel"));
  return pages;
}

constexpr std::string_view kWords[] = {"gptqmodel", "auto_gptq", "\"damp_percent\":"};

constexpr std::string_view kServedBy[] = {"vllm"};

const Dialect kDialect{
    .name{"gptqmodel"},
    .title = "GPTQModel",
    .text = "a configuration of GPTQModel",
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
    .runtimes = {.programs = kServedBy, .splits = true},
    .remedies = {.pattern_prefix = "", .tied_head = "delete `lm_head=True` and the entry for the head"},
    .module = "gptqmodel",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::gptqmodel
