#include <algorithm>

#include "dialect/custom.h"
#include "dialect/dialect.h"

// Forks of frameworks whose classes are known.
namespace sparsecfg::dialect {

namespace {

using FieldTypes = std::vector<std::pair<std::string, Type>>;

FieldTypes joined(FieldTypes one, const FieldTypes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

CustomClass opaque(std::string name, FieldTypes fields) { return {std::move(name), {}, true, std::move(fields)}; }

CustomClass like(std::string name, std::string base, FieldTypes fields) {
  return {std::move(name), std::move(base), false, std::move(fields)};
}

// ALTO applies modifiers like those of llm-compressor block by block, and adds training in low precision.
std::vector<CustomClass> alto_classes() {
  const FieldTypes calibration = {{"sequential", Type::boolean},
                                  {"sequential_targets", Type::text | Type::texts},
                                  {"sequential_granularity", Type::text},
                                  {"sublayer_groups", Type::groups},
                                  {"num_calibration_samples", Type::whole}};
  const FieldTypes layers = joined({{"targets", Type::text | Type::texts}, {"ignore", Type::texts}}, calibration);
  const FieldTypes sparse =
      joined({{"sparsity", Type::real | Type::reals | Type::any_mapping}, {"mask_structure", Type::text}}, layers);
  const FieldTypes pruned =
      joined({{"sparsity", Type::real | Type::reals | Type::any_mapping}, {"pruning_dimension", Type::text}}, layers);
  const FieldTypes dampening = {{"dampening_frac", Type::real}};
  const FieldTypes quantized = joined({{"format", Type::text}}, calibration);
  return {
      like("QuantizationModifier", "QuantizationModifier", quantized),
      like("GPTQModifier", "GPTQModifier", quantized),
      like("AWQModifier", "QuantizationModifier",
           joined({{"mappings", Type::mappings}, {"n_grid", Type::whole}}, quantized)),
      opaque("LowPrecisionTrainingModifier", {{"scheme", Type::text | Type::any_mapping},
                                              {"targets", Type::text | Type::texts},
                                              {"ignore", Type::texts},
                                              {"use_hadamard", Type::boolean},
                                              {"use_sr_grad", Type::boolean},
                                              {"use_dge", Type::boolean},
                                              {"use_uos", Type::boolean},
                                              {"lora_rank", Type::whole}}),
      opaque("WandaModifier", sparse),
      opaque("MagnitudeModifier", sparse),
      opaque("SparseGPTModifier", joined(sparse, dampening)),
      opaque("AdmmModifier", joined(sparse, dampening)),
      opaque("AlpsModifier", joined(sparse, dampening)),
      opaque("ObsModifier", joined(pruned, dampening)),
      opaque("CosineSimilarityModifier", pruned),
      opaque("WandaStructuredModifier", pruned),
      opaque("AdmmStructuredModifier", joined(pruned, dampening)),
      opaque("SelfDistillationModifier", {{"lr", Type::real}, {"steps", Type::whole}, {"warmup_steps", Type::whole}}),
  };
}

std::vector<Profile> all_profiles() {
  std::vector<Profile> out = {
      {"ai8x", "the Distiller of Analog Devices", {}, {{"distiller", "ai8x"}}},
      {"alto", "AMD ALTO, whose recipes look like llm-compressor recipes", alto_classes(), {}},
  };
  const std::vector<ReaderOption> options = reader_options();
  std::erase_if(out, [&](const Profile& profile) {
    return std::ranges::any_of(profile.options, [&](const auto& option) {
      return std::ranges::find(options, option.first, &ReaderOption::name) == options.end();
    });
  });
  return out;
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> kProfiles = all_profiles();
  return kProfiles;
}

const Profile* find_profile(std::string_view name) {
  const auto found = std::ranges::find(profiles(), name, &Profile::name);
  return found == profiles().end() ? nullptr : &*found;
}

}  // namespace sparsecfg::dialect
