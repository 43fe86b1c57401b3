#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "convert/convert.h"
#include "dialect/back_ends.h"
#include "outcome/outcome.h"
#include "rounds.h"

// Random recipes for trained models, converted into every quantizer: what is written gives each module of a model the
// same formats, and converting back gives them again.
namespace sparsecfg::convert {

static const int kQuantized = property_rounds(3000);

namespace {

using Modules = std::vector<model::Module>;

// Rolls the parts of recipes.
class QuantizerDice {
 public:
  explicit QuantizerDice(std::uint32_t seed) : engine_(seed) {}

  int roll(int min, int max) { return std::uniform_int_distribution<int>(min, max)(engine_); }

  std::string_view one_of(std::initializer_list<std::string_view> words) {
    return *(words.begin() + roll(0, static_cast<int>(words.size()) - 1));
  }

 private:
  std::mt19937 engine_;
};

// A small language model. Some sizes are not multiples of 32.
Modules model_of(QuantizerDice& dice) {
  const std::uint64_t odd = dice.roll(0, 4) == 0 ? 48 : 256;
  Modules out{{"", "LlamaForCausalLM", {}},
              {"model", "LlamaModel", {}},
              {"model.embed_tokens", "Embedding", model::Shape{512, 128}},
              {"model.layers", "ModuleList", {}}};
  const int layers = dice.roll(1, 12);
  for (int layer = 0; layer < layers; ++layer) {
    const std::string name = fmt::format("model.layers.{}", layer);
    out.push_back({name, "LlamaDecoderLayer", {}});
    out.push_back({name + ".self_attn", "LlamaAttention", {}});
    for (const std::string_view each : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
      out.push_back({fmt::format("{}.self_attn.{}", name, each), "Linear", model::Shape{128, 128}});
    }
    out.push_back({name + ".mlp", "LlamaMLP", {}});
    out.push_back({name + ".mlp.gate_proj", "Linear", model::Shape{odd, 128}});
    out.push_back({name + ".mlp.up_proj", "Linear", model::Shape{odd, 128}});
    out.push_back({name + ".mlp.down_proj", "Linear", model::Shape{128, odd}});
  }
  out.push_back({"model.norm", "LlamaRMSNorm", model::Shape{128}});
  out.push_back({"lm_head", "Linear", model::Shape{512, 128}});
  return out;
}

std::string_view part(QuantizerDice& dice) {
  return dice.one_of({"q_proj", "k_proj", "down_proj", "mlp", "self_attn", "lm_head", "layers.1", "layers.0.mlp"});
}

std::string modelopt_recipe(QuantizerDice& dice) {
  const auto attributes = [&] {
    return dice.one_of({"{num_bits: e4m3}", "{num_bits: 8, axis: 0}", "{num_bits: e4m3, axis: 0}",
                        "{num_bits: e2m1, block_sizes: {-1: 16, type: dynamic, scale_bits: e4m3}}",
                        "{num_bits: e4m3, block_sizes: {-1: 32, type: dynamic, scale_bits: e8m0}}",
                        "{num_bits: 4, block_sizes: {-1: 128}}", "{num_bits: e4m3, block_sizes: {-1: 128, -2: 128}}",
                        "{num_bits: e4m3, type: dynamic, block_sizes: {-1: null}}"});
  };
  const auto pattern = [&] { return dice.roll(0, 1) == 0 ? std::string("*") : fmt::format("*{}*", part(dice)); };
  std::string text = fmt::format("metadata: {{recipe_type: ptq}}\nquantize:\n  algorithm: {}\n  quant_cfg:\n",
                                 dice.one_of({"max", "max", "max", "null", "awq_lite"}));
  if (dice.roll(0, 9) > 0) text += "    - {quantizer_name: '*', enable: false}\n";
  for (int entry = dice.roll(1, 3); entry > 0; --entry) {
    text += fmt::format("    - {{quantizer_name: '{}weight_quantizer', cfg: {}}}\n", pattern(), attributes());
    if (dice.roll(0, 1) == 0)
      text += fmt::format("    - {{quantizer_name: '{}input_quantizer', cfg: {}}}\n", pattern(), attributes());
  }
  if (dice.roll(0, 4) == 0) text += "    - {quantizer_name: '*[kv]_bmm_quantizer', cfg: {num_bits: e4m3}}\n";
  if (dice.roll(0, 3) > 0) text += "    - {quantizer_name: '*', parent_class: nn.Embedding, enable: false}\n";
  for (int off = dice.roll(0, 2); off > 0; --off)
    text += fmt::format("    - {{quantizer_name: '*{}*', enable: false}}\n", part(dice));
  return text;
}

std::string llmcompressor_recipe(QuantizerDice& dice) {
  const auto group = [&](int number, std::string_view target) {
    return fmt::format(
        "        group_{}:\n          targets: ['{}']\n          weights: {{num_bits: {}, type: {}, strategy: {}}}\n",
        number, target, dice.one_of({"4", "8", "8"}), dice.one_of({"int", "float"}),
        dice.one_of({"group, group_size: 128", "group, group_size: 32", "channel", "tensor"}));
  };
  const std::string_view modifier = dice.one_of({"QuantizationModifier", "GPTQModifier", "AutoRoundModifier"});
  std::string text = fmt::format("stage:\n  group_modifiers:\n    {}:\n", modifier);
  if (dice.roll(0, 1) == 0) {
    text += fmt::format("      targets: [Linear]\n      scheme: {}\n",
                        dice.one_of({"W4A16", "W8A8", "FP8", "FP8_DYNAMIC", "NVFP4", "MXFP4", "W4A16_ASYM", "W8A16"}));
  } else {
    text += "      config_groups:\n" + group(0, "Linear");
    if (dice.roll(0, 1) == 0) text += group(1, fmt::format("re:.*{}.*", part(dice)));
  }
  return text + fmt::format("      ignore: [lm_head, 're:.*{}.*']\n", part(dice));
}

std::string autoround_call(QuantizerDice& dice) {
  return fmt::format(
      "from auto_round import AutoRound\n\nar = AutoRound('m', scheme='{}', layer_config={{'{}': {{'bits': {}}}}}, "
      "ignore_layers='{}')\n",
      dice.one_of({"W4A16", "W8A16", "W2A16G64", "MXFP4", "MXFP8", "NVFP4", "INT8", "FP8_BLOCK", "FP8_STATIC"}),
      part(dice), dice.one_of({"4", "8", "16"}), part(dice));
}

std::string gptqmodel_call(QuantizerDice& dice) {
  return fmt::format(
      "from gptqmodel import QuantizeConfig\n\nconfig = QuantizeConfig(bits={}, group_size={}, sym={}, desc_act={}, "
      "act_group_aware=False, dynamic={{r'{}.*{}': {}}})\n",
      dice.one_of({"2", "4", "5", "8"}), dice.one_of({"32", "128", "-1"}), dice.one_of({"True", "False"}),
      dice.one_of({"True", "False"}), dice.one_of({"-:", "+:"}), part(dice), dice.one_of({"{}", "{'bits': 8}"}));
}

std::string torchao_call(QuantizerDice& dice) {
  const auto config = [&] {
    return dice.one_of({"IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32))",
                        "Int8WeightOnlyConfig()", "Int8DynamicActivationInt8WeightConfig()", "Float8WeightOnlyConfig()",
                        "Float8DynamicActivationFloat8WeightConfig(granularity=PerRow())", "Int4WeightOnlyConfig()"});
  };
  std::string text = "import torch\nfrom torchao.quantization import *\nfrom torchao.quantization import quantize_\n";
  if (dice.roll(0, 1) == 0) return text + fmt::format("quantize_(model, {})\n", config());
  return text + fmt::format("quantize_(model, FqnToConfig({{'re:.*{}': {}, 're:.*_proj': {}}}), filter_fn=None)\n",
                            part(dice), config(), dice.roll(0, 2) == 0 ? std::string_view("None") : config());
}

struct Writer {
  std::string_view dialect;
  std::string_view file;
  std::string (*write)(QuantizerDice&);
};

constexpr Writer kWriters[] = {{"modelopt", "recipe.yaml", modelopt_recipe},
                               {"llm-compressor", "recipe.yaml", llmcompressor_recipe},
                               {"autoround", "quantize.py", autoround_call},
                               {"gptqmodel", "quantize.py", gptqmodel_call},
                               {"torchao", "quantize.py", torchao_call}};

// Returns the types, bits and groups of all tensors of a module.
std::string formats_of(const outcome::State& state, const outcome::Outcome& outcome) {
  ir::Scheme scheme = state.scheme;
  for (ir::TensorFormat& format : scheme.inputs) {
    if (format.granularity != ir::Granularity::block || format.block[0] != 1) continue;
    format.granularity = ir::Granularity::group;
    format.group_size = format.block[1];
  }
  const bool cached = state.cached && outcome.as<ir::CacheScheme>(*state.cached)->keys.has_value();
  return ir::describe(scheme) + (cached ? ", cached" : "");
}

std::vector<std::string> formats_of(const ir::Recipe& recipe, const Modules& modules) {
  const outcome::Outcome outcome = outcome::evaluate(recipe, modules);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < modules.size(); ++at) out.push_back(formats_of(outcome.at(at), outcome));
  return out;
}

CompileOptions options_for(const std::shared_ptr<const Modules>& modules, const model::ModelNames& names,
                           std::string_view dialect) {
  CompileOptions options;
  options.from = std::string(dialect);
  options.read.modules = modules;
  options.modules = &names;
  return options;
}

}  // namespace

TEST_CASE("recipes for trained models are converted exactly or not at all") {
  int written = 0;
  for (int seed = 0; seed < kQuantized; ++seed) {
    QuantizerDice dice(static_cast<std::uint32_t>(seed));
    const auto modules = std::make_shared<const Modules>(model_of(dice));
    const model::ModelNames names(*modules);
    const Writer& from = kWriters[dice.roll(0, static_cast<int>(std::size(kWriters)) - 1)];
    const std::string text = from.write(dice);
    const CompileOptions reading = options_for(modules, names, from.dialect);
    const Compilation source = compile(std::string(from.file), text, reading);
    if (!source.recipe || source.count(diag::Severity::error) > 0) continue;
    const std::vector<std::string> before = formats_of(*source.recipe, *modules);
    for (const dialect::Dialect* to : dialect::dialects()) {
      const dialect::BackEnd* back_end = dialect::back_end_of(*to);
      if (back_end == nullptr || to->name == from.dialect) continue;
      INFO(seed << " to " << to->name << "\n" << text);
      const Conversion conversion = convert(source, {to, reading, {}, false});
      CHECK_FALSE(conversion.faulty);
      if (conversion.text.empty()) continue;
      INFO(conversion.text);
      const Compilation back =
          compile(std::string(back_end->file), conversion.text, options_for(modules, names, to->name));
      REQUIRE(back.recipe);
      CHECK(back.count(diag::Severity::error) == 0);
      CHECK(formats_of(*back.recipe, *modules) == before);
      ++written;
      const dialect::Dialect* own = dialect::find_dialect(from.dialect);
      const Conversion again = convert(back, {own, options_for(modules, names, to->name), {}, false});
      if (again.text.empty()) continue;
      INFO(again.text);
      const Compilation round = compile(std::string(dialect::back_end_of(*own)->file), again.text, reading);
      REQUIRE(round.recipe);
      CHECK(formats_of(*round.recipe, *modules) == before);
    }
  }
  CHECK(written > 0);
}

}  // namespace sparsecfg::convert
