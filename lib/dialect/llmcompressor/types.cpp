#include "dialect/llmcompressor/types.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace sparsecfg::dialect {

using llmcompressor::DuoScaling;

std::optional<DuoScaling> Read<DuoScaling>::from(const source::Value& value) {
  if (const auto flag = as_boolean(value)) return *flag ? DuoScaling::on : DuoScaling::off;
  return value.get<std::string>() == nullptr ? std::nullopt : std::optional(DuoScaling::both);
}

namespace llmcompressor {

using schemes::Dynamic;
using schemes::entries_of;
using schemes::find_preset;
using schemes::Part;
using schemes::part_of;
using schemes::Preset;

// --- quantization -------------------------------------------------------------------------------------------------

static Group preset_group(const Preset& preset, source::Span span, Entries targets) {
  return {std::string(preset.name), span, std::move(targets), {preset.weights}, {preset.inputs}, {}};
}

static std::vector<Group> preset_groups(Pairs scheme) {
  std::vector<Group> out;
  for (const source::Entry& entry : scheme) {
    const auto* name = entry.first.get<std::string>();
    const Preset* preset = name == nullptr ? nullptr : find_preset(*name);
    if (preset != nullptr) out.push_back(preset_group(*preset, entry.first.span, entries_of(&entry.second)));
  }
  return out;
}

static Group configured_group(const source::Entry& entry) {
  const auto& [name, value] = entry;
  return {source::python_str(name),
          name.span,
          entries_of(value.find("targets")),
          part_of(value, "weights"),
          part_of(value, "input_activations"),
          part_of(value, "output_activations")};
}

// A modifier that sets only the cache attaches an empty scheme to its targets (docs/semantics/llm-compressor.md#b2-10).
static std::vector<Group> empty_group(const Quantization& quantization) {
  if (quantization.kv_cache_scheme.given() == nullptr) return {};
  return {{"", quantization.kv_cache_scheme.field()->key, quantization.targets.value_or({}), {}, {}, {}}};
}

static std::vector<Group> groups_of(const Quantization& quantization) {
  std::vector<Group> out;
  if (quantization.scheme) {
    const Preset* preset = find_preset(*quantization.scheme);
    if (preset != nullptr) {
      out.push_back(preset_group(*preset, quantization.scheme.place(), quantization.targets.value_or({})));
    }
  } else if (quantization.scheme_mappings) {
    out = preset_groups(*quantization.scheme_mappings);
  } else if (quantization.config_groups) {
    std::ranges::transform(*quantization.config_groups, std::back_inserter(out), configured_group);
  } else if (!quantization.scheme.given()) {
    out = empty_group(quantization);
  }
  return out;
}

Quantization::Quantization(const Record& record)
    : scheme(record, "scheme"),
      scheme_mappings(record, "scheme"),
      config_groups(record, "config_groups"),
      targets(record, "targets"),
      ignore(record, "ignore"),
      kv_cache_scheme(record, "kv_cache_scheme"),
      weight_observer(record, "weight_observer"),
      input_observer(record, "input_observer"),
      output_observer(record, "output_observer"),
      observer(record, "observer"),
      bypass_divisibility_checks(record, "bypass_divisibility_checks"),
      groups(groups_of(*this)) {}

void Modifier::use_release(schemes::Release release) {
  const auto change = [&]<class T>(T& typed) {
    if constexpr (std::derived_from<T, Quantization>) {
      for (Group& each : typed.groups) {
        if (each.weights.value != nullptr || !schemes::was_per_channel(each.name, release)) continue;
        each.weights.args.strategy = schemes::Strategy::channel;
        each.weights.args.group_size = 0;
      }
    }
  };
  std::visit(change, settings);
}

// `targets: Linear` is the same as the default `[Linear]`.
bool Quantization::has_configuration() const {
  const bool usual = targets && targets->size() == 1 && targets->front().text == "Linear";
  return scheme.given() || config_groups.given() || kv_cache_scheme.given() || !usual || (ignore && !ignore->empty());
}

bool Quantization::only_cache() const {
  return kv_cache_scheme.given() != nullptr && !scheme.given() && !config_groups.given() && !groups.empty();
}

Gptq::Gptq(const Record& record) : Quantization(record), actorder(record, "actorder") {}

// --- pruning ------------------------------------------------------------------------------------------------------

LayerPruning::LayerPruning(const Record& record)
    : OneShotPruning(record),
      targets(record, "targets"),
      target_text(record, "targets"),
      ignore(record, "ignore"),
      mask(read_mask(mask_structure.value_or("")).value_or(NOfM{})) {}

SparseGpt::SparseGpt(const Record& record)
    : LayerPruning(record),
      block_size(record, "block_size"),
      preserve_sparsity_mask(record, "preserve_sparsity_mask") {}

ExpertPruning::ExpertPruning(const Record& record) : sparsity(record, "sparsity"), ignore(record, "ignore") {}

TrainingMask::TrainingMask(const Record& record) : targets(record, "targets") {}

// --- preparation of quantization ----------------------------------------------------------------------------------

Smoothing::Smoothing(const Record& record) : mappings(record, "mappings"), ignore(record, "ignore") {}

Awq::Awq(const Record& record)
    : mappings(record, "mappings"),
      offload_device(record, "offload_device"),
      duo_scaling(record, "duo_scaling"),
      n_grid(record, "n_grid"),
      targets(record, "targets"),
      ignore(record, "ignore") {}

Rotation::Rotation(const Record& record)
    : rotations(record, "rotations"),
      transform_type(record, "transform_type"),
      transform_block_size(record, "transform_block_size"),
      transform_config(record, "transform_config") {}

bool Rotation::rotates_by(std::string_view name) const {
  const auto is_name = [&](const schemes::Entry& entry) { return base::to_upper(entry.text) == name; };
  return rotations && std::ranges::any_of(*rotations, is_name);
}

Quip::Quip(const Record& record) : Rotation(record), targets(record, "targets"), ignore(record, "ignore") {}

SpinQuant::SpinQuant(const Record& record)
    : Rotation(record), mappings(record, "mappings"), norm_mappings(record, "norm_mappings") {}

Opaque::Opaque(const Record& record) : targets(record, "targets"), ignore(record, "ignore") {}

// --- all modifiers ------------------------------------------------------------------------------------------------

// By type, because a struct that is no alternative of the variant would be sliced to its base without an error.
static Settings settings_of(const Record& record) {
  switch (kind_of(record)) {
    case ClassKind::quantization: return Settings(std::in_place_type<Quantization>, record);
    case ClassKind::gptq: return Settings(std::in_place_type<Gptq>, record);
    case ClassKind::auto_round: return Settings(std::in_place_type<AutoRound>, record);
    case ClassKind::model_free: return Settings(std::in_place_type<ModelFree>, record);
    case ClassKind::sparse_gpt: return Settings(std::in_place_type<SparseGpt>, record);
    case ClassKind::wanda: return Settings(std::in_place_type<Wanda>, record);
    case ClassKind::reap: return Settings(std::in_place_type<ExpertPruning>, record);
    case ClassKind::constant_pruning:
    case ClassKind::magnitude_pruning: return Settings(std::in_place_type<TrainingMask>, record);
    case ClassKind::smoothing: return Settings(std::in_place_type<Smoothing>, record);
    case ClassKind::awq: return Settings(std::in_place_type<Awq>, record);
    case ClassKind::quip: return Settings(std::in_place_type<Quip>, record);
    case ClassKind::spin_quant: return Settings(std::in_place_type<SpinQuant>, record);
    case ClassKind::opaque: return Settings(std::in_place_type<Opaque>, record);
  }
  return Settings(std::in_place_type<Opaque>, record);
}

Modifier::Modifier(stages::Modifier record)
    : stages::Modifier(std::move(record)),
      requires_calibration_data(*this, "requires_calibration_data"),
      settings(settings_of(*this)) {}

static const Entries kNone;

const Entries& Modifier::targets() const {
  const auto of = []<class T>(const T& typed) -> const Entries& {
    if constexpr (requires { typed.targets; }) return typed.targets ? *typed.targets : kNone;
    return kNone;
  };
  return std::visit(of, settings);
}

const Entries& Modifier::ignore() const {
  const auto of = []<class T>(const T& typed) -> const Entries& {
    if constexpr (requires { typed.ignore; }) return typed.ignore ? *typed.ignore : kNone;
    return kNone;
  };
  return std::visit(of, settings);
}

static bool observes_data(const Group& group) {
  const auto is_static = [](const Part& part) { return part.args.present && part.args.dynamic != Dynamic::yes; };
  const auto* observer = group.weights.value == nullptr ? nullptr : group.weights.value->find("observer");
  const auto* name = observer == nullptr ? nullptr : observer->get<std::string>();
  return is_static(group.inputs) || is_static(group.outputs) || (name != nullptr && *name == "imatrix_mse");
}

bool Modifier::needs_calibration() const {
  const auto* quantization = as<Quantization>();
  return has(*this, kNeedsData) || requires_calibration_data.value_or(false) ||
         (quantization != nullptr && (quantization->kv_cache_scheme.given() != nullptr ||
                                      quantization->weight_observer.value_or("") == "imatrix_mse" ||
                                      std::ranges::any_of(quantization->groups, observes_data)));
}

}  // namespace llmcompressor

}  // namespace sparsecfg::dialect
