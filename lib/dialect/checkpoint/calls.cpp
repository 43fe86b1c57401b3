#include "dialect/checkpoint/calls.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/quantizers/calls.h"
#include "doc/document.h"
#include "script/value.h"

namespace sparsecfg::dialect::checkpoint {

using source::Map;
using source::Value;

namespace {

constexpr std::string_view kBitsFirst[] = {"bits"};
constexpr std::string_view kHqqFirst[] = {"nbits", "group_size",     "view_as_float",
                                          "axis",  "dynamic_config", "skip_modules"};
constexpr std::string_view kBitsAndBytesFirst[] = {"load_in_8bit", "load_in_4bit", "llm_int8_threshold",
                                                   "llm_int8_skip_modules"};
constexpr std::string_view kWeightsFirst[] = {"weights"};
constexpr std::string_view kSkipped[] = {"modules_to_not_convert"};
constexpr std::string_view kFp8First[] = {"activation_scheme", "weight_block_size", "modules_to_not_convert"};

// A class with the `quant_method` that it writes, and the text that starts a call of it.
struct ClassRow {
  std::string_view text;
  std::span<const std::string_view> positional;
  std::string_view method;

  [[nodiscard]] constexpr std::string_view name() const { return text.substr(0, text.size() - 1); }
};

constexpr ClassRow kClasses[] = {
    {"AwqConfig(", kBitsFirst, "awq"},      {"BitsAndBytesConfig(", kBitsAndBytesFirst, "bitsandbytes"},
    {"EetqConfig(", kWeightsFirst, "eetq"}, {"FineGrainedFP8Config(", kFp8First, "fp8"},
    {"GPTQConfig(", kBitsFirst, "gptq"},    {"HqqConfig(", kHqqFirst, "hqq"},
    {"Mxfp4Config(", kSkipped, "mxfp4"},    {"QuantoConfig(", kWeightsFirst, "quanto"}};

// Returns the results of a function for all rows.
template <typename Function>
constexpr auto of_rows(Function function) {
  std::array<decltype(function(kClasses[0])), std::size(kClasses)> out;
  std::ranges::transform(kClasses, out.begin(), function);
  return out;
}

constexpr auto kCallables = of_rows([](const ClassRow& row) {
  return quantizers::Callable{row.name(), "transformers", row.positional};
});
constexpr auto kClassWords = of_rows([](const ClassRow& row) { return row.text; });

bool keeps_arguments(std::string_view path) {
  const std::string_view name = base::last_part(path);
  const auto is_row = [&](const ClassRow& row) { return row.name() == name; };
  return (path.starts_with("transformers.") || path.starts_with('.')) && std::ranges::any_of(kClasses, is_row);
}

// Types of torch are written by their names.
script::Ref torch_name(const script::Value& value) {
  const bool type = value.kind == script::Value::Kind::name && value.path.starts_with("torch.");
  return type ? script::scalar(value.span, std::string(base::last_part(value.path))) : nullptr;
}

constexpr ModelCall kModelCalls[] = {{"from_pretrained", "transformers", {}, {"quantization_config", 1}}};

Value word(std::string_view name, source::Span span) { return {std::string(name), span}; }

// Arguments that decide neither formats nor layers.
constexpr std::string_view kUndecisive[] = {"dataset", "tokenizer", "bnb_4bit_compute_dtype", "bnb_4bit_quant_storage",
                                            "backend", "batch_size"};

void add_default(Map& map, std::string_view key, Value usual) {
  const auto is_key = [&](const source::Entry& each) { return source::python_str(each.first) == key; };
  if (std::ranges::none_of(map, is_key)) map.emplace_back(word(key, {}), std::move(usual));
}

// HqqConfig writes the settings of all layers below `weight_quant_params`, or those of each tag.
void use_form_of_hqq(Map& config) {
  constexpr std::string_view kParameters[] = {"nbits", "group_size", "view_as_float", "axis"};
  Map parameters;
  Map out;
  for (source::Entry& entry : config) {
    const std::string name = source::python_str(entry.first);
    if (name == "dynamic_config") entry.first = word("quant_config", entry.first.span);
    (base::contains(kParameters, name) ? parameters : out).push_back(std::move(entry));
  }
  add_default(parameters, "nbits", {std::int64_t{4}, {}});
  add_default(parameters, "group_size", {std::int64_t{64}, {}});
  Map whole;
  whole.emplace_back(word("weight_quant_params", {}), Value{std::move(parameters), {}});
  add_default(out, "quant_config", {std::move(whole), {}});
  add_default(out, "skip_modules", {source::List{word("lm_head", {})}, {}});
  config = std::move(out);
}

// The bits without these flags depend on the version of transformers.
bool lacks_bits(const Value& config) { return !config.find("load_in_4bit") && !config.find("load_in_8bit"); }

}  // namespace

constinit const Objects kObjects =
    quantizers::objects_of_calls<kCallables, torch_name>(kClassWords, keeps_arguments, kModelCalls);

bool is_call(const doc::Document& document) {
  if (document[document.resolve(document.root)].kind != doc::Kind::mapping) return false;
  return std::ranges::any_of(
      kClasses, [&](const ClassRow& row) { return member(document, document.root, row.name()).has_value(); });
}

std::optional<CallConfig> config_of_call(const Value& root, const std::set<source::Span>& unknown) {
  const quantizers::Configuration call = quantizers::configuration_of(root, kCallables);
  const auto* arguments = call.value.get<Map>();
  if (call.call.empty() || arguments == nullptr) return std::nullopt;
  const auto row = std::ranges::find(kClasses, call.call, &ClassRow::name);
  CallConfig out{{}, call.name};
  Map config;
  config.emplace_back(word("quant_method", call.name), word(row->method, call.name));
  for (const source::Entry& entry : *arguments) {
    const bool known =
        !quantizers::has_unknown(entry.second, unknown) && !quantizers::has_unknown(entry.first, unknown);
    if (known) config.push_back(entry);
    out.unknown = out.unknown || (!known && !base::contains(kUndecisive, source::python_str(entry.first)));
  }
  if (row->method == "hqq") use_form_of_hqq(config);
  out.config = {std::move(config), call.value.span};
  out.unknown = out.unknown || (row->method == "bitsandbytes" && lacks_bits(out.config));
  return out;
}

}  // namespace sparsecfg::dialect::checkpoint
