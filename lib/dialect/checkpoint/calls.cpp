#include "dialect/checkpoint/calls.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/checkpoint/values.h"
#include "dialect/quantizers/calls.h"
#include "doc/document.h"
#include "script/value.h"

namespace sparsecfg::dialect::checkpoint {

using source::Map;
using source::Value;

namespace {

constexpr std::string_view kBitsFirst[] = {"bits"};
constexpr std::string_view kGptqFirst[] = {"bits", "tokenizer", "dataset", "group_size"};
constexpr std::string_view kAwqFirst[] = {"bits", "group_size", "zero_point"};
constexpr std::string_view kHqqFirst[] = {"nbits", "group_size",     "view_as_float",
                                          "axis",  "dynamic_config", "skip_modules"};
constexpr std::string_view kBitsAndBytesFirst[] = {kEightBits, kFourBits, "llm_int8_threshold",
                                                   "llm_int8_skip_modules"};
constexpr std::string_view kWeightsFirst[] = {"weights"};
constexpr std::string_view kSkipped[] = {"modules_to_not_convert"};
constexpr std::string_view kFp8First[] = {"activation_scheme", "weight_block_size", "modules_to_not_convert"};

constexpr std::string_view kKernel[] = {"backend", "max_input_length"};
constexpr std::string_view kFp8WhenLoading[] = {"dequantize", "modules_to_not_convert"};
constexpr std::string_view kDequantize[] = {"dequantize"};
constexpr std::string_view kCompressed[] = {"dequantize", "use_optimized_inference", "run_compressed"};

constexpr ClassRow kClasses[] = {{"AqlmConfig(", {}, "aqlm", true},
                                 {"AutoRoundConfig(", kBitsFirst, "auto-round", true, kKernel},
                                 {"AwqConfig(", kAwqFirst, "awq", true, kKernel},
                                 {"BitNetQuantConfig(", kSkipped, "bitnet", true},
                                 {"BitsAndBytesConfig(", kBitsAndBytesFirst, "bitsandbytes"},
                                 {"CompressedTensorsConfig(", {}, "compressed-tensors", true, kCompressed},
                                 {"EetqConfig(", kWeightsFirst, "eetq"},
                                 {"FineGrainedFP8Config(", kFp8First, "fp8", false, kFp8WhenLoading},
                                 {"GPTQConfig(", kGptqFirst, "gptq", false, kKernel},
                                 {"HqqConfig(", kHqqFirst, "hqq"},
                                 {"Mxfp4Config(", kSkipped, "mxfp4", false, kDequantize},
                                 {"QuantoConfig(", kWeightsFirst, "quanto"},
                                 {"SpQRConfig(", kBitsFirst, "spqr", true},
                                 {"VptqConfig(", {}, "vptq", true}};

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
// Arguments of `from_pretrained` without a class.
constexpr std::string_view kFlagWords[] = {"load_in_4bit=", "load_in_8bit=", "quantization_config="};
constexpr auto kObjectWords = [] {
  std::array<std::string_view, std::size(kClasses) + std::size(kFlagWords)> out;
  std::ranges::copy(kClassWords, out.begin());
  std::ranges::copy(kFlagWords, out.begin() + std::size(kClasses));
  return out;
}();

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

constexpr std::string_view kArgument = "quantization_config";
// A configuration as a dictionary has the name of the argument in place of a class.
constexpr std::string_view kDictionary = "from_pretrained(quantization_config=)";
constexpr std::size_t kNamedOnly = 1'000;

constexpr ModelCall kModelCalls[] = {{"from_pretrained", "transformers", {}, {kArgument, kNamedOnly}}};

// Returns the dictionary that a call of `from_pretrained` gets as its configuration; null without one.
const script::Value* dictionary_of(const script::Value& call) {
  const bool loads = call.kind == script::Value::Kind::object && call.imported &&
                     call.path.starts_with("transformers.") && call.path.ends_with(".from_pretrained");
  const script::Ref config = loads ? call.argument(kArgument) : nullptr;
  const bool known = config != nullptr && script::is_closed_mapping(*config) && !config->escaped;
  return known ? config.get() : nullptr;
}

bool makes(const script::Value& object) { return row_of(object) != nullptr || dictionary_of(object) != nullptr; }

doc::Document document_of_dictionary(const script::Value& call, source::Span root, base::Budget& budget) {
  ObjectWriter writer(torch_name, budget);
  const doc::NodeId name = writer.text(kDictionary, {root.begin, root.begin});
  return writer.take(writer.mapping({name, writer.value(*dictionary_of(call))}, root));
}

doc::Document document(const std::vector<script::Ref>& elements, source::Span root, base::Budget& budget) {
  return dictionary_of(*elements.front()) != nullptr
             ? document_of_dictionary(*elements.front(), root, budget)
             : quantizers::document_of_call<kCallables, torch_name>(elements, root, budget);
}

constexpr Objects objects() {
  Objects out = quantizers::objects_of_calls<kCallables, torch_name>(kObjectWords, keeps_arguments, kModelCalls);
  out.makes = makes;
  out.document = document;
  out.check_script = check_script;
  return out;
}

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

// Returns the class that transformers constructs of a dictionary; null if it is not known.
const ClassRow* class_of_dictionary(const Value& config) {
  const Value* name = config.find("quant_method");
  const auto* text = name == nullptr ? nullptr : name->get<std::string>();
  const std::string_view method = sets_bits(config) ? "bitsandbytes" : text == nullptr ? "" : std::string_view(*text);
  const auto* row = std::ranges::find(kClasses, method, &ClassRow::method);
  return row == std::end(kClasses) ? nullptr : row;
}

// Returns the arguments of a configuration, and its class.
std::optional<CallConfig> call_in(const Value& root, Value& arguments) {
  const auto* map = root.get<Map>();
  if (map == nullptr || map->size() != 1 || map->front().second.get<Map>() == nullptr) return std::nullopt;
  const std::string name = source::python_str(map->front().first);
  arguments = map->front().second;
  CallConfig out{{}, arguments.span};
  if (name == kDictionary) {
    out.row = class_of_dictionary(arguments);
    return out;
  }
  out.row = std::ranges::find(kClasses, std::string_view(name), &ClassRow::name);
  return out.row == std::end(kClasses) ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

constinit const Objects kObjects = objects();

const ClassRow* row_of(const script::Value& object) {
  const quantizers::Callable* row = quantizers::find_callable(kCallables, object);
  return row == nullptr ? nullptr : kClasses + (row - kCallables.data());
}

bool is_call(const doc::Document& document) {
  return member(document, document.root, kDictionary) || quantizers::is_call(document, kCallables);
}

std::optional<CallConfig> config_of_call(const Value& root, const std::set<source::Span>& unknown) {
  Value arguments;
  std::optional<CallConfig> out = call_in(root, arguments);
  if (!out) return std::nullopt;
  Map config;
  const bool written = arguments.find("quant_method") != nullptr || out->row == nullptr;
  if (!written) config.emplace_back(word("quant_method", out->name), word(out->row->method, out->name));
  for (const source::Entry& entry : *arguments.get<Map>()) {
    const std::string name = source::python_str(entry.first);
    const bool known =
        !quantizers::has_unknown(entry.second, unknown) && !quantizers::has_unknown(entry.first, unknown);
    if (known) config.push_back(entry);
    out->given.push_back(name);
    out->unknown = out->unknown || (!known && !base::contains(kUndecisive, name));
  }
  if (!written && out->row->method == "hqq") use_form_of_hqq(config);
  out->config = {std::move(config), arguments.span};
  return out;
}

}  // namespace sparsecfg::dialect::checkpoint
