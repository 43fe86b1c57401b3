#include "model/typical_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "model/model_names.h"

namespace sparsecfg::model {

// Layers, each with a weight and a bias.
constexpr std::string_view kTypicalLayers[] = {
    // residual networks
    "conv1",
    "bn1",
    "layer1.0.conv1",
    "layer1.0.bn1",
    "layer1.0.conv2",
    "layer1.0.downsample.0",
    "layer2.0.conv1",
    "layer2.0.conv3",
    "layer2.0.downsample.0",
    "layer3.1.conv2",
    "layer4.2.conv3",
    "fc",
    // sequences of convolutions
    "features.0",
    "features.1.conv.0.0",
    "features.3",
    "features.10",
    "features.18.0",
    "classifier.1",
    "classifier.6",
    "input.conv",
    "sections.0.0.conv1",
    "sections.1.0.depth.conv",
    "sections.2.1.identity.conv",
    "classifier.fc",
    "model.0.conv",
    "model.2.cv1.conv",
    "model.24.m.0",
    "blocks.1.0.conv_pw",
    "blocks.2.1.conv_dw",
    "head.fc",
    // small networks
    "conv2",
    "fc1",
    "fc2",
    "seq.fc1",
    "seq.block1.fc1",
    "linear1",
    "linear2",
    // text encoders
    "bert.embeddings.word_embeddings",
    "bert.embeddings.LayerNorm",
    "bert.encoder.layer.0.attention.self.query",
    "bert.encoder.layer.0.attention.self.key",
    "bert.encoder.layer.0.attention.self.value",
    "bert.encoder.layer.0.attention.output.dense",
    "bert.encoder.layer.0.attention.output.LayerNorm",
    "bert.encoder.layer.1.intermediate.dense",
    "bert.encoder.layer.11.output.dense",
    "bert.pooler.dense",
    "qa_outputs",
    "classifier",
    "transformer.layer.0.attention.q_lin",
    "transformer.layer.0.ffn.lin1",
    // image transformers
    "patch_embed.proj",
    "blocks.0.norm1",
    "blocks.0.attn.qkv",
    "blocks.0.attn.proj",
    "blocks.0.mlp.fc1",
    "blocks.11.mlp.fc2",
    "head",
    // text decoders
    "model.embed_tokens",
    "model.layers.0.self_attn.q_proj",
    "model.layers.0.self_attn.k_proj",
    "model.layers.0.self_attn.v_proj",
    "model.layers.0.self_attn.o_proj",
    "model.layers.1.mlp.gate_proj",
    "model.layers.10.mlp.up_proj",
    "model.layers.11.mlp.down_proj",
    "model.layers.0.input_layernorm",
    "lm_head",
    "model.decoder.layers.0.self_attn.q_proj",
    "model.decoder.layers.0.fc1",
    "transformer.h.0.attn.c_attn",
    "transformer.h.0.mlp.c_fc",
};

bool is_inner_layer(std::string_view name) {
  const auto ends = [&](std::string_view layer) {
    return layer.size() > name.size() && layer.ends_with(name) && layer[layer.size() - name.size() - 1] == '.';
  };
  const bool part = name.find('.') == std::string_view::npos && !name.empty();
  return part && std::ranges::any_of(kTypicalLayers, ends) &&
         std::ranges::find(kTypicalLayers, name) == std::end(kTypicalLayers);
}

bool is_head_of_task(std::string_view name) {
  constexpr std::string_view kHeads[] = {"classifier", "pre_classifier", "score", "qa_outputs", "lm_head"};
  return std::ranges::find(kHeads, name) != std::end(kHeads);
}

static std::vector<std::string> parameters_of_layers() {
  std::vector<std::string> names;
  for (const std::string_view layer : kTypicalLayers) {
    names.push_back(std::string(layer) + ".weight");
    names.push_back(std::string(layer) + ".bias");
  }
  return names;
}

const ModelNames& typical_parameters() {
  static const ModelNames names(parameters_of_layers());
  return names;
}

bool is_buffer_of_norm(std::string_view last_part) {
  constexpr std::string_view kBuffers[] = {"running_mean", "running_var", "num_batches_tracked"};
  return base::contains(kBuffers, last_part);
}

}  // namespace sparsecfg::model
