#include "dialect/dialect.h"

#include <catch2/catch.hpp>

#include "yaml_text.h"

namespace sparsecfg::test {

struct Told {
  std::string_view text;
  std::string_view dialect;  // empty: none
};

static std::string_view name_of(const dialect::Dialect* dialect) { return dialect == nullptr ? "" : dialect->name; }

TEST_CASE("a dialect is detected by the content of the file") {
  for (const Told& c : {
           Told{"modifiers: []", "sparseml"},
           Told{"pruning_modifiers_v2: ~", "sparseml"},
           Told{"- !GMPruningModifier {final_sparsity: 0.8}", "sparseml"},
           Told{"- !EpochRangeModifier: {start_epoch: 0.0}", "sparseml"},
           Told{"quantization_stage: {anything: 1}", "sparseml"},
           Told{"q_stage: {q_modifiers: {QuantizationModifier: {scheme: W4A16}}}", "llm-compressor"},
           Told{"q_stage: {q_modifiers: {SparseGPTModifier: {sparsity: 0.5}}}", "llm-compressor"},
           Told{"q_stage_0: {q_modifiers: {GPTQModifier: {}}}", "llm-compressor"},
           Told{"q_stage: {q_modifiers: {SparseGPTModifier: {sparsity: eval(s)}}}", "sparseml"},
           Told{"q_stage: {q_modifiers: {LegacyQuantizationModifier: {ignore: []}}}", "sparseml"},
           Told{"q_stage: {q_modifiers: [!GPTQModifier {}]}", "sparseml"},
           Told{R"({"quantization_config": {"quant_method": "compressed-tensors"}})", "compressed-tensors"},
           Told{R"({"quant_method": "compressed-tensors", "config_groups": {}})", "compressed-tensors"},
           Told{R"({"compression_config": {"config_groups": {}}})", "compressed-tensors"},
           Told{R"({"quantization_config": {"quant_method": "awq", "bits": 4}})", "checkpoint"},
           Told{"first_stage: 1", ""},
           Told{"a: {b: {c: [!XModifier {}]}}", "sparseml"},
           Told{"lr_schedulers: ~", "distiller"},
           Told{"pruners: {}", "distiller"},
           Told{"policies: [{pruner: {instance_name: p}}]", "distiller"},
           Told{"policies: [{name: retention}]", ""},
           Told{"policies: {pruner: 1}", ""},
           Told{"extensions: {e: {class: Remover}}", "distiller"},
           Told{"extensions: [class]", ""},
           Told{"[{op_types: [Conv2d], sparse_ratio: 0.5}]", "nni"},
           Told{"[{exclude: true}, {op_names: [fc]}]", "nni"},
           Told{"[{exclude: true}]", ""},
           Told{"op_types: [Conv2d]", ""},
           Told{"config_list: []", "nni"},
           Told{"compressors: []", "nni"},
           Told{"compressors: gzip", ""},
           Told{"compression: {compressor: agp, config_list: []}", "nni"},
           Told{"AGPruner: {config: [{sparsity: 0.5}]}", "nni"},
           Told{"AGPruner: {config: [{size: 0.5}]}", ""},
           Told{"base: &b [{sparsity: 0.5}]\nAGPruner: {config: *b}", "nni"},
           Told{"loss_lr_schedulers: {}", "distiller"},
           Told{"start_epoch: 10\nweight_bits: 8", "ai8x"},
           Told{"start_epoch: 10\nweigth_bits: 8", ""},
           Told{"weight_bits: 8\nshift_quantile: 1.0", "ai8x"},
           Told{"start_epoch: 10\nelastic_kernel: {}", "ai8x"},
           Told{R"({"bits": 4, "group_size": 128, "damp_percent": 0.01, "desc_act": false})", "gptqmodel"},
           Told{R"({"quantization_config": {"quant_method": "auto-round", "bits": 4}})", "autoround"},
           Told{R"({"quantization_config": {"quant_method": "torchao"}})", "torchao"},
           Told{"start_epoch: 10\nweight_bits: 8\npolicies: []", ""},
           Told{"elastic_kernel: {}", ""},
           Told{"modifiers: []\nconfig_list: []", "nni"},
           Told{"modifiers: []\npruners: {}", "sparseml"},
           Told{"text", ""},
           Told{"", ""},
       }) {
    INFO(c.text);
    const Read file = read(c.text);
    REQUIRE(file.document);
    CHECK(name_of(dialect::detect(*file.document)) == c.dialect);
  }
}

TEST_CASE("the dialect of a file that can't be read is detected by its words") {
  CHECK(name_of(dialect::detect("modifiers: [")) == "sparseml");
  CHECK(name_of(dialect::detect("policies: [")) == "distiller");
  CHECK(name_of(dialect::detect("op_types: [")) == "nni");
  CHECK(name_of(dialect::detect("weight_bits: [")) == "ai8x");
  CHECK(dialect::detect("name: [") == nullptr);
}

TEST_CASE("a script is NNI's or nobody's") {
  CHECK(name_of(dialect::detect_in_script("config_list = [{'op_types': ['Conv2d']}]")) == "nni");
  CHECK(dialect::detect_in_script("from sparseml.pytorch.sparsification import GMPruningModifier") == nullptr);
}

}  // namespace sparsecfg::test
