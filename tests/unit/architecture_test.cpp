#include "architecture/derive.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "architecture/family.h"
#include "architecture/listing.h"
#include "architecture/user_model.h"

// The names and shapes in these tests were computed by hand.
namespace sparsecfg::architecture {

static source::Value json(std::string_view text) {
  auto read = source::read_json(text);
  auto* value = std::get_if<std::optional<source::Value>>(&read);
  REQUIRE(value != nullptr);
  REQUIRE(*value);
  return std::move(**value);
}

static Derived derived(std::string_view config, View view = View::transformers) {
  DerivedOrError out = derive(json(config), view);
  if (const auto* error = std::get_if<source::LoadError>(&out)) {
    FAIL(error->reason);
  }
  return std::get<Derived>(std::move(out));
}

static std::string rejection(std::string_view config) {
  const DerivedOrError out = derive(json(config), View::transformers);
  const auto* error = std::get_if<source::LoadError>(&out);
  return error == nullptr ? "" : error->reason;
}

static std::vector<std::string> names(const Derived& model) {
  std::vector<std::string> out;
  for (const Layer& layer : model.layers) out.push_back(layer.name);
  return out;
}

static const Layer& layer(const Derived& model, std::string_view name) {
  const auto found = std::ranges::find(model.layers, name, &Layer::name);
  REQUIRE(found != model.layers.end());
  return *found;
}

static std::string shape(const Derived& model, std::string_view name, std::string_view tensor = "weight") {
  const Tensor* found = layer(model, name).find(tensor);
  return found == nullptr ? "none" : model::to_text(found->shape);
}

constexpr std::string_view kLlama = R"({
  "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8, "intermediate_size": 12,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 10})";

TEST_CASE("A dense decoder has its modules in order", "[architecture]") {
  const Derived model = derived(kLlama);
  CHECK(model.architecture == "LlamaForCausalLM");
  const std::vector<std::string> all = names(model);
  // The model, its body with 3 parts around the layers, 2 layers of 13 modules, and the head.
  CHECK(all.size() == 1 + 1 + 4 + 2 * 13 + 1);
  CHECK(all[0].empty());
  CHECK(all[4] == "model.layers.0");
  CHECK(all[5] == "model.layers.0.self_attn");
  CHECK(all.back() == "lm_head");
  CHECK(layer(model, "model.layers.1.mlp.act_fn").type == "SiLUActivation");
}

TEST_CASE("Shapes follow from heads and groups", "[architecture]") {
  const Derived model = derived(kLlama);
  CHECK(shape(model, "model.layers.1.self_attn.q_proj") == "8x8");
  CHECK(shape(model, "model.layers.1.self_attn.k_proj") == "4x8");
  CHECK(shape(model, "model.layers.1.mlp.down_proj") == "8x12");
  CHECK(shape(model, "lm_head") == "10x8");
  CHECK(shape(model, "lm_head", "bias") == "none");
}

TEST_CASE("An absent field has the default of its class, and a null field its rule", "[architecture]") {
  const std::string start = R"({"architectures": ["MistralForCausalLM"], "model_type": "mistral", "hidden_size": 64,
    "num_hidden_layers": 1, "num_attention_heads": 16, "intermediate_size": 8, "vocab_size": 10)";
  CHECK(shape(derived(start + "}"), "model.layers.0.self_attn.k_proj") == "32x64");
  CHECK(shape(derived(start + R"(, "num_key_value_heads": null})"), "model.layers.0.self_attn.k_proj") == "64x64");
}

constexpr std::string_view kExperts = R"({
  "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 8, "moe_intermediate_size": 6,
  "intermediate_size": 12, "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4,
  "num_experts": 2, "vocab_size": 10, "mlp_only_layers": [1]})";

TEST_CASE("Experts are fused in transformers and layers in llm-compressor", "[architecture]") {
  const Derived fused = derived(kExperts);
  CHECK(layer(fused, "model.layers.0.mlp.experts").type == "Qwen3MoeExperts");
  CHECK(shape(fused, "model.layers.0.mlp.experts", "gate_up_proj") == "2x12x8");
  const Derived split = derived(kExperts, View::linearized);
  CHECK(layer(split, "model.layers.2.mlp.experts").type == "LinearExperts2D");
  CHECK(shape(split, "model.layers.2.mlp.experts.1.down_proj") == "8x6");
  CHECK(layer(split, "model.layers.0.mlp.gate").type == "Qwen3MoeTopKRouter");
}

TEST_CASE("A layer that depends on its number is expanded by itself", "[architecture]") {
  const Derived model = derived(kExperts, View::linearized);
  CHECK(shape(model, "model.layers.1.mlp.up_proj") == "12x8");
  const std::vector<std::string> all = names(model);
  CHECK(std::ranges::find(all, "model.layers.1.mlp.experts") == all.end());
}

TEST_CASE("Checkpoints have other names", "[architecture]") {
  const Derived model = derived(R"({
    "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "hidden_size": 8, "intermediate_size": 12,
    "num_hidden_layers": 12, "num_attention_heads": 2, "num_key_value_heads": 1, "num_local_experts": 11})",
                                View::checkpoint);
  Renamer renamer(model.renames);
  CHECK(renamer.tensor("model.layers.11.mlp.experts.10.gate_proj.weight") ==
        "model.layers.11.block_sparse_moe.experts.10.w1.weight");
  CHECK(renamer.module("model.layers.3.mlp") == "model.layers.3.block_sparse_moe");
  CHECK(renamer.tensor("model.norm.weight") == "model.norm.weight");
}

TEST_CASE("A tied head shares its weight", "[architecture]") {
  std::string config(kLlama);
  config.insert(1, R"("tie_word_embeddings": true,)");
  const Derived model = derived(config);
  const Layer& head = layer(model, "lm_head");
  CHECK(head.tied == "model.embed_tokens");
  CHECK(head.shares(head.tensors.front()));
  CHECK(layer(derived(kLlama), "lm_head").tied.empty());
}

TEST_CASE("Configurations are rejected with a reason", "[architecture]") {
  CHECK(rejection(R"({"model_type": "mimo"})") == "names no class in `architectures` (model type `mimo`)");
  CHECK(rejection(R"({"architectures": ["MiMoForCausalLM"], "model_type": "mimo"})") ==
        "has the unknown architecture `MiMoForCausalLM` (model type `mimo`)");
  CHECK(rejection(R"({"architectures": ["LlamaForCausalLM"], "model_type": "mimo"})") ==
        "has the architecture `LlamaForCausalLM`, but the model type `mimo`");
}

TEST_CASE("Keys that no class reads do not reject a model", "[architecture]") {
  std::string config(kLlama);
  config.insert(1, R"("num_extra_layers": 2, "num_mtp_modules": 3, "use_routing_bias": true,)");
  CHECK(names(derived(config)) == names(derived(kLlama)));
}

TEST_CASE("A configuration without `architectures` has the class of its type", "[architecture]") {
  CHECK(derived(R"({"model_type": "llama", "num_hidden_layers": 1})").architecture == "LlamaForCausalLM");
}

// Replaces the value of a key in a configuration.
static std::string with(std::string_view key, const std::string& value) {
  std::string out(kLlama);
  const std::size_t at = out.find(key) + key.size() + 3;
  return out.replace(at, out.find_first_of(",}", at) - at, value);
}

TEST_CASE("Hostile configurations are rejected", "[architecture]") {
  CHECK(rejection(with("num_hidden_layers", "1000000000")).ends_with("more than 300000 modules"));
  CHECK(rejection(with("num_hidden_layers", "299999")).ends_with("more than 300000 modules"));
  CHECK(rejection(with("num_hidden_layers", "-1")).ends_with("the int -1 is not a number of layers"));
  CHECK(rejection(with("num_attention_heads", "0")).find("divides by zero") != std::string::npos);
  CHECK(rejection(with("hidden_size", "\"big\"")).ends_with("is not a size of a tensor"));
  CHECK(rejection(with("hidden_size", "99999999999999999999")) != "");
  CHECK(rejection(with("vocab_size", "4611686018427387904")).find("too large") != std::string::npos);
  CHECK(rejection(with("hidden_size", "[1]")) != "");
}

TEST_CASE("All expressions of the tables can be parsed", "[architecture]") {
  CHECK(all_architectures().size() > 90);
  CHECK(find_family("LlamaForCausalLM", "llama"));
  CHECK_FALSE(find_family("LlamaForCausalLM", "mistral"));
  CHECK(find_block("no_such_block").empty());
}

TEST_CASE("Listed networks have containers", "[architecture]") {
  const auto modules = listed_network("sparseml", "resnet18");
  const auto found = std::ranges::find(modules, "classifier.fc", &model::Module::name);
  REQUIRE(found != modules.end());
  CHECK(found->type == "Linear");
  CHECK(std::ranges::find(modules, "classifier", &model::Module::name) != modules.end());
  CHECK(listed_network("torchvision", "no_such_network").empty());
}

TEST_CASE("Classes are inferred from the shapes of tensors", "[architecture]") {
  const model::Parameters tensors{
      {"a.embed.weight", "a.fc.weight", "a.fc.bias", "a.conv.weight", "a.norm.weight"},
      {model::Shape{10, 4}, model::Shape{4, 4}, model::Shape{4}, model::Shape{4, 3, 3, 3}, model::Shape{4}}};
  std::vector<std::string> types;
  const auto modules = inferred_modules(tensors);
  REQUIRE(modules);
  for (const model::Module& module : *modules) types.push_back(module.name + " " + module.type);
  CHECK(types ==
        std::vector<std::string>{"a Module", "a.embed Embedding", "a.fc Linear", "a.conv Conv2d", "a.norm Module"});
}

TEST_CASE("containers of deeply nested names have a limit") {
  model::Parameters tensors;
  tensors.shapes.emplace_back(model::Shape{4, 4});
  for (const int depth : {10, 8000}) {
    std::string name;
    for (int level = 0; level < depth; ++level) name += "a.";
    tensors.names = {name + "weight"};
    CHECK(inferred_modules(tensors).has_value() == (depth == 10));
  }
}

TEST_CASE("Releases are ranges", "[architecture]") {
  CHECK(version_of("4.57.1") == Version{4, 57});
  CHECK(version_of("5.16.0.dev0") == Version{5, 16});
  CHECK_FALSE(version_of("5"));
  CHECK_FALSE(version_of("4.x"));
  CHECK(transformers_for("0.8") == Releases{{4, 53}, {4, 56}});
  CHECK_FALSE(transformers_for("0.99"));
  CHECK(transformers_of({}) == Releases{kNewestTransformers, kNewestTransformers});
  const Releases two{{0, 11}, {0, 12}};
  CHECK(transformers_of({"", std::nullopt, two}) == Releases{{4, 56}, {5, 10}});
  CHECK(llmcompressor_of({"", Releases{{4, 57}, {4, 57}}, std::nullopt}) == Releases{{0, 1}, {0, 11}});
  CHECK(llmcompressor_of({}) == Releases{kNewestLlmCompressor, kNewestLlmCompressor});
  CHECK(to_string(two) == "0.11 to 0.12");
}

constexpr std::string_view kSmallExperts = R"({
  "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 8, "intermediate_size": 12,
  "moe_intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 4, "num_experts": 2, "vocab_size": 10})";

static std::string gate_of(const Build& build) {
  const DerivedOrError out = derive(json(kSmallExperts), View::linearized, build);
  if (const auto* error = std::get_if<source::LoadError>(&out)) {
    return error->reason;
  }
  return layer(std::get<Derived>(out), "model.layers.0.mlp.gate").type;
}

TEST_CASE("A release decides names, or leaves them unknown", "[architecture]") {
  CHECK(gate_of({}) == "Qwen3MoeTopKRouter");
  CHECK(gate_of(*build_of_llmcompressor("0.6")) == "Linear");
  CHECK(gate_of(*build_of_llmcompressor("0.13")) == "Qwen3MoeTopKRouter");
  const Releases both{{4, 57}, {5, 0}};
  CHECK(gate_of({"", both, std::nullopt}).find("which is one of 4.57 to 5.0") != std::string::npos);
  const Releases old{{4, 45}, {4, 48}};
  CHECK(gate_of({"", old, std::nullopt}) == "transformers 4.45 to 4.48 does not have `qwen3_moe`");
}

constexpr std::string_view kVision = R"({
  "architectures": ["Qwen2_5_VLForConditionalGeneration"], "model_type": "qwen2_5_vl", "hidden_size": 8,
  "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2,
  "vocab_size": 10, "vision_config": {"depth": 1, "hidden_size": 8, "intermediate_size": 12, "num_heads": 2,
  "out_hidden_size": 8}})";

TEST_CASE("The class of the load call decides the modules", "[architecture]") {
  const auto model = UserModel::of_config(kVision, "config.json");
  REQUIRE(model != nullptr);
  const Names& usual = model->in(View::transformers, {"AutoModelForImageTextToText", {}, {}});
  CHECK(usual.architecture == "Qwen2_5_VLForConditionalGeneration");
  const Names& raises = model->in(View::transformers, {"AutoModelForCausalLM", {}, {}});
  REQUIRE(raises.missing);
  CHECK(raises.missing->instead == "AutoModelForImageTextToText");
  CHECK(raises.modules == nullptr);
  const Names& base = model->in(View::transformers, {"AutoModel", {}, {}});
  CHECK(base.module_names->knows("language_model.layers.0.self_attn.q_proj"));
  CHECK(model->in(View::transformers, {"NoSuchClass", {}, {}}).unknown.starts_with("has the unknown architecture"));
}

TEST_CASE("Python writes numbers that are not finite", "[architecture]") {
  std::string config(kLlama);
  config.insert(1, R"("time_step_limit": [0.0, Infinity, -Infinity, NaN], "name": "Infinity \" NaN",)");
  CHECK(UserModel::of_config(config, "config.json") != nullptr);
}

TEST_CASE("A model has the names of each view", "[architecture]") {
  const auto model = UserModel::of_config(kExperts, "config.json");
  REQUIRE(model != nullptr);
  CHECK(model->title() == "Qwen3MoeForCausalLM (config.json)");
  const Names& names = model->in(View::linearized);
  CHECK(names.module_names->knows("model.layers.0.mlp.experts.0.up_proj"));
  CHECK(&names == &model->in(View::linearized));
  CHECK_FALSE(model->in(View::transformers).module_names->knows("model.layers.0.mlp.experts.0.up_proj"));
  CHECK(UserModel::of_config("{}", "config.json") == nullptr);
  CHECK(UserModel::of_id("meta-llama/Llama-3.1-8B-Instruct") != nullptr);
  CHECK(UserModel::of_id("nobody/nothing") == nullptr);
}

}  // namespace sparsecfg::architecture
