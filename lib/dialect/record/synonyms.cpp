#include "dialect/record/field_names.h"

#include <algorithm>
#include <array>

namespace sparsecfg::dialect {

namespace {

constexpr std::string_view kSparseml = "SparseML";
constexpr std::string_view kDistiller = "Distiller";
constexpr std::string_view kNni = "NNI";
constexpr std::string_view kLlmCompressor = "llm-compressor";
constexpr std::string_view kTorch = "PyTorch";
constexpr std::string_view kNobody;

// A field name and the framework that uses it.
struct Synonym {
  std::string_view name;
  std::string_view framework;
};

// Words with the same meaning. `for_all`: a word may refer to several fields at once, such as `sparsity` for both ends
// of a ramp, so all candidates of the row are returned.
struct Row {
  std::array<Synonym, 10> words;
  bool for_all = false;
};

constexpr Row kRows[] = {
    {{{{"params", kSparseml},
       {"weights", kDistiller},
       {"targets", kLlmCompressor},
       {"op_names", kNni},
       {"op_types", kNni},
       {"layers", kNobody},
       {"parameters", kNobody},
       {"modules", kNobody}}}},
    {{{{"sparsity", kLlmCompressor},
       {"final_sparsity", kSparseml},
       {"init_sparsity", kSparseml},
       {"initial_sparsity", kDistiller},
       {"sparse_ratio", kNni},
       {"desired_sparsity", kDistiller},
       {"target_sparsity", kNobody},
       {"amount", kTorch}}},
     true},
    {{{{"start_epoch", kSparseml},
       {"starting_epoch", kDistiller},
       {"start", kLlmCompressor},
       {"begin_epoch", kNobody}}}},
    {{{{"end_epoch", kSparseml}, {"ending_epoch", kDistiller}, {"end", kLlmCompressor}, {"stop_epoch", kNobody}}}},
    {{{{"update_frequency", kSparseml},
       {"frequency", kDistiller},
       {"interval_steps", kNni},
       {"pruning_frequency", kNobody}}}},
    {{{{"mask_type", kSparseml},
       {"mask_structure", kLlmCompressor},
       {"prunen", kLlmCompressor},
       {"prunem", kLlmCompressor},
       {"sparse_granularity", kNni}}}},
    {{{{"ignore", kLlmCompressor},
       {"exclude_op_names", kNni},
       {"exclude", kNni},
       {"skip_layers", kNobody},
       {"exclude_module_types", kSparseml}}}},
    {{{{"init_lr", kSparseml},
       {"learning_rate", kSparseml},
       {"lr", kTorch},
       {"base_lr", kTorch},
       {"initial_lr", kTorch}}}},
    {{{{"final_lr", kSparseml}, {"lr_min", kSparseml}, {"eta_min", kTorch}, {"min_lr", kTorch}}}},
    {{{{"num_bits", kLlmCompressor}, {"weight_bits", kSparseml}, {"bits_weights", kDistiller}, {"quant_bits", kNni}}}},
    {{{{"bits_activations", kDistiller}, {"activation_bits", kSparseml}}}},
};

}  // namespace

SynonymMatch synonyms_for(std::string_view name, std::span<const std::string_view> candidates) {
  for (const Row& row : kRows) {
    const auto* word = std::ranges::find(row.words, name, &Synonym::name);
    if (word == row.words.end() || name.empty()) {
      continue;
    }
    SynonymMatch match{{}, word->framework};
    std::ranges::copy_if(candidates, std::back_inserter(match.names), [&](std::string_view candidate) {
      return candidate != name && std::ranges::find(row.words, candidate, &Synonym::name) != row.words.end();
    });
    const bool clear = match.names.size() == 1 || row.for_all;
    if (!match.names.empty() && clear) {
      return match;
    }
  }
  return {};
}

}  // namespace sparsecfg::dialect
