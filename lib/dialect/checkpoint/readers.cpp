#include "dialect/checkpoint/readers.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparsecfg::dialect::checkpoint::readers {

using enum selectors::How;
using selectors::DefaultSkips;
using selectors::Fact;
using selectors::NotAString;
using selectors::Polarity;
using selectors::Space;
using selectors::StringForList;
using selectors::Unit;
using selectors::WhichField;

// One line per part if possible.
// clang-format off

constexpr selectors::Mark kRegexMark{.prefix = "re:", .how = {match}};
constexpr selectors::Kinds kHead{.facts = {Fact::head}};

// --- transformers: one function serves nearly all methods -------------------------------------------

constexpr Reader plain(std::string_view name) {
  return {.name = name, .fields = {"modules_to_not_convert"}, .how = {match, suffix}, .reaches = {.classes = {"Linear"}},
          .default_skips = {Fact::head}, .empty_is_absent = false};
}

constexpr Reader with(Reader reader, auto change) {
  change(reader);
  return reader;
}

const Reader kTransformers = plain("transformers");
const Reader kTransformersAwq = with(plain("transformers awq"), [](Reader& reader) {
  reader.with_list = DefaultSkips::in_addition;
  reader.empty_is_absent = true;
  reader.rejects_nothing_left = true;
});
const Reader kTransformersBitsandbytes = with(plain("transformers bitsandbytes"), [](Reader& reader) {
  reader.fields = {"llm_int8_skip_modules"};
  reader.string_for_list = StringForList::reject;
});
const Reader kTransformersFp8 = with(plain("transformers fp8"), [](Reader& reader) {
  reader.fields = {"modules_to_not_convert", "ignored_layers"};
  reader.reaches.facts = {Fact::experts};
});
const Reader kTransformersBlocks{
    .name{"transformers gptq, blocks"}, .fields = {"block_name_to_quantize"}, .string_for_list = StringForList::one_entry,
    .polarity = Polarity::keep, .how = {prefix}, .reaches = {.classes = {"Linear"}}, .without_list = {.facts = {Fact::in_block}}};
const Reader kTransformersInBlocks{
    .name{"transformers gptq"}, .fields = {"modules_in_block_to_quantize"}, .nested = true, .polarity = Polarity::keep,
    .how = {suffix}, .empty_is_absent = false};
const Reader kTransformersMxfp4 = with(plain("transformers mxfp4"), [](Reader& reader) { reader.reaches.classes = {"GptOssExperts"}; });
const Reader kTransformersFbgemm = with(plain("transformers fbgemm_fp8"), [](Reader& reader) { reader.reaches.classes = {"Linear", "Llama4TextExperts"}; });
const Reader kTransformersHqqSkips{
    .name{"transformers hqq, skip_modules"}, .fields = {"skip_modules"}, .compares_with = {Space::tag}, .reaches = {.classes = {"Linear"}}};
const Reader kTransformersHqq{
    .name{"transformers hqq"}, .fields = {"quant_config"}, .polarity = Polarity::assign, .compares_with = {Space::tag}};
const Reader kTransformersAqlm = with(plain("transformers aqlm"), [](Reader& reader) {
  reader.fields = {"linear_weights_not_to_quantize"};
  reader.default_skips = {};
});
const Reader kTransformersGemma{
    .name{"transformers gemma"}, .fields = {"module_quant_configs"}, .polarity = Polarity::assign, .how = {search},
    .reaches = {.classes = {"Linear", "Embedding"}}, .order = selectors::Order::leftmost};

// --- vLLM -------------------------------------------------------------------------------------------

const Reader kVllmFp8{
    .name{"vLLM fp8"}, .fields = {"ignored_layers", "modules_to_not_convert"}, .which_field = WhichField::first_not_empty,
    .string_for_list = StringForList::ignore, .not_a_string = NotAString::ignore, .maps_entries = true, .never = kHead,
    .unit = Unit::parts, .special = {{Fact::experts, "experts", {name_inside_entry}}}};
const Reader kVllmAwq{
    .name{"vLLM awq"}, .fields = {"modules_to_not_convert"}, .which_field = WhichField::first_not_empty, .how = {substring},
    .maps_entries = true, .never = kHead, .unit = Unit::parts};
const Reader kVllmDynamic{
    .name{"vLLM gptq, dynamic"}, .fields = {"dynamic"}, .polarity = Polarity::assign, .how = {match},
    .marks = {{.prefix = "-:", .excludes = true}, {.prefix = "+:"}}, .maps_entries = true, .never = kHead, .unit = Unit::parts};
const Reader kVllmGptq{
    .name{"vLLM gptq"}, .fields = {"modules_in_block_to_quantize"}, .which_field = WhichField::first_not_empty, .nested = true,
    .polarity = Polarity::keep, .how = {substring}, .maps_entries = true, .never = kHead, .unit = Unit::parts,
    .special = {{Fact::experts, "", {always}}}};
const Reader kVllmBitsandbytes{
    .name{"vLLM bitsandbytes"}, .fields = {"llm_int8_skip_modules"}, .not_a_string = NotAString::ignore,
    .how = {part, prefix_of_parts}, .never = kHead, .special = {{Fact::experts, "", {}}}};
const Reader kVllmQuarkExclude{
    .name{"vLLM quark, exclude"}, .fields = {"exclude"}, .marks = {kRegexMark}, .maps_entries = true, .unit = Unit::parts};
const Reader kVllmQuark{
    .name{"vLLM quark"}, .fields = {"layer_quant_config"}, .polarity = Polarity::assign, .how = {name_inside_entry},
    .marks = {{.any_of = "*", .how = {glob}}}, .maps_entries = true, .never = kHead, .unit = Unit::parts};
const Reader kVllmExperts{.name{"vLLM experts"}, .reaches = {.facts = {Fact::experts}}};

// --- SGLang -----------------------------------------------------------------------------------------

// SGLang compares entries with and without `model.`, and without dots at the end.
static std::vector<std::string> with_and_without_model(std::string_view text) {
  constexpr std::string_view kModel = "model.";
  const std::string_view bare = text.starts_with(kModel) ? text.substr(kModel.size()) : text;
  std::vector<std::string> out = {std::string(bare), std::string(kModel) + std::string(bare)};
  for (std::string& each : out) each.erase(each.find_last_not_of('.') + 1);
  return out;
}

const Reader kSglangFp8{
    .name{"SGLang fp8"}, .fields = {"ignored_layers", "modules_to_not_convert"}, .which_field = WhichField::first_present,
    .how = {exact, prefix_of_parts, parts}, .rewrite = with_and_without_model, .never = kHead, .unit = Unit::parts,
    .also = {{Fact::experts, "experts", {name_inside_entry}}}};
const Reader kSglangAwq{.name{"SGLang awq"}, .fields = {"modules_to_not_convert"}, .how = {substring}, .never = kHead};
const Reader kSglangBitsandbytes{
    .name{"SGLang bitsandbytes"}, .fields = {"llm_int8_skip_modules"}, .not_a_string = NotAString::ignore,
    .how = {part, prefix_of_parts}, .never = kHead};
const Reader kSglangGptq{.name{"SGLang gptq"}, .never = kHead};
const Reader kSglangQuark{
    .name{"SGLang quark"}, .fields = {"exclude"}, .marks = {kRegexMark}, .never = kHead, .unit = Unit::parts};

// --- Quark ------------------------------------------------------------------------------------------

const Reader kQuarkExclude{
    .name{"Quark, exclude"}, .fields = {"exclude"}, .how = {glob}, .reaches = {.classes = {"Linear", "Conv2d"}}};
static constexpr Reader kQuarkTypes{
    .name{"Quark, types"}, .fields = {"layer_type_quant_config"}, .polarity = Polarity::assign, .compares_with = {Space::class_name}};
const Reader kQuark{
    .name{"Quark"}, .fields = {"layer_quant_config"}, .polarity = Polarity::assign, .how = {glob}, .and_then = &kQuarkTypes};

// clang-format on

}  // namespace sparsecfg::dialect::checkpoint::readers
