#include "dialect/llmcompressor/versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::llmcompressor {

namespace {

using enum Release;

// A field that was removed in a release.
struct Removed {
  std::string_view modifier;
  std::string_view field;
  Release release;
  std::string_view instead;
  bool safe = true;  // true if deleting the field keeps the meaning of the recipe
};

constexpr std::string_view kAlways = "delete it; layers are always processed sequentially";
constexpr std::string_view kArgument = "delete it; pass `sequential_targets` to `oneshot` instead";
constexpr std::string_view kSamples = "delete it; pass `num_calibration_samples` to `oneshot` instead";
constexpr std::string_view kObserving = "delete it; one-shot runs have no epochs";
constexpr std::string_view kOffloading = "delete it; Hessians are no longer offloaded by a field of the modifier";
constexpr std::string_view kScheme = "write it in `config_groups` of a QuantizationModifier that follows";

constexpr Removed kRemoved[] = {
    {"AWQModifier", "group_size", v0_5_2, kScheme, false},
    {"AWQModifier", "max_chunk_memory", v0_6, "delete it; it has no replacement", true},
    {"AWQModifier", "num_bits", v0_5_2, kScheme, false},
    {"AWQModifier", "sequential_targets", v0_11, kArgument, true},
    {"AWQModifier", "symmetric", v0_5_2, kScheme, false},
    {"AutoRoundModifier", "sequential_targets", v0_11, kArgument, true},
    {"GPTQModifier", "disable_quantization_observer_epoch", v0_5_2, kObserving, true},
    {"GPTQModifier", "num_calibration_steps", v0_5_2, kSamples, true},
    {"GPTQModifier", "quantize", v0_5_2, "delete it; `scheme` or `config_groups` replace it", false},
    {"GPTQModifier", "sequential_targets", v0_11, kArgument, true},
    {"GPTQModifier", "sequential_update", v0_8, kAlways, true},
    {"GPTQModifier", "offload_hessians", v0_14, kOffloading, true},
    {"QuantizationModifier", "disable_quantization_observer_epoch", v0_5_2, kObserving, true},
    {"QuantizationModifier", "num_calibration_steps", v0_5_2, kSamples, true},
    {"SparseGPTModifier", "offload_hessians", v0_14, kOffloading, true},
    {"SparseGPTModifier", "quantize", v0_1, "delete it, and add a GPTQModifier after this modifier to quantize", false},
    {"SparseGPTModifier", "sequential_targets", v0_11, kArgument, true},
    {"WandaPruningModifier", "sequential_targets", v0_11, kArgument, true},
};

constexpr std::string_view kOldAwq[] = {"scheme",         "config_groups",   "targets",
                                        "ignore",         "kv_cache_scheme", "weight_observer",
                                        "input_observer", "output_observer", "observer"};

// Fields of every class that keep the state of a run, and arguments of the loader.
constexpr std::string_view kInternal[] = {"initialized_",
                                          "finalized_",
                                          "started_",
                                          "ended_",
                                          "enabled_",
                                          "parameterized_layers_",
                                          "scheduler_function_",
                                          "mask_creator_function_",
                                          "current_sparsity_",
                                          "resolved_mappings_",
                                          "scales_",
                                          "group",
                                          "type_",
                                          "allow_registered",
                                          "allow_experimental"};

// A class or field that was added in a release. An empty field means the class itself.
struct Newer {
  std::string_view modifier;  // empty: all modifiers
  std::string_view field;
  Release release;
};

constexpr Newer kNewer[] = {
    {"", "requires_calibration_data", v0_13},
    {"", "bypass_divisibility_checks", v0_10},
    {"", "weight_observer", v0_9},
    {"", "input_observer", v0_9},
    {"", "output_observer", v0_9},
    {"", "observer", v0_9},
    {"", "algorithm", v0_11},
    {"", "transform_block_size", v0_8},
    {"", "offload_hessians", v0_4_0},
    {"", "kv_cache_scheme", v0_2},
    {"GPTQModifier", "actorder", v0_5_2},
    {"AWQModifier", "n_grid", v0_9},
    {"SparseGPTModifier", "ignore", v0_4_1},
    {"WandaPruningModifier", "ignore", v0_4_1},
    {"AWQModifier", "", v0_5_1},
    {"QuIPModifier", "", v0_7},
    {"SpinQuantModifier", "", v0_7},
    {"AutoRoundModifier", "", v0_9},
    {"REAPPruningModifier", "", v0_13},
    {"REAPPruningModifier", "report_path", main},
};

}  // namespace

bool is_old_awq_field(std::string_view field) { return base::contains(kOldAwq, field); }

static const Removed* find_removed(std::string_view modifier, std::string_view field) {
  const auto* found = std::ranges::find_if(
      kRemoved, [&](const Removed& row) { return row.modifier == modifier && row.field == field; });
  return found == std::end(kRemoved) ? nullptr : found;
}

bool report_field_of_release(const Reading&, const Modifier& modifier, const Field& field) {
  const bool moved = meaning_of(modifier) == Meaning::awq && is_old_awq_field(field.name);
  return moved || base::contains(kInternal, field.name) || find_removed(modifier.spec->name, field.name) != nullptr;
}

static std::string_view consequence_of(const Field& field) {
  if (field.name == "group") return "the loader sets it and rejects a second value";
  if (!field.name.ends_with('_') || field.name == "type_") return "it is an argument of the loader, which rejects it";
  const bool set = as_boolean(field.value).value_or(!field.value.is_null());
  return set && (field.name == "initialized_" || field.name == "finalized_") ? "the run fails at its start"
                                                                             : "the run overwrites it";
}

static void report_removed(const Reading& reading, const Modifier& modifier, const Field& field, const Removed& row) {
  const bool by_true =
      field.name == "quantize" && modifier.spec->name == "GPTQModifier" && as_boolean(field.value).value_or(false);
  reading.sink
      .report(diag::removed_field, field.key, field.name, modifier.spec->name,
              row.release == v0_1 ? "llm-compressor (only SparseML has it)" : to_string(row.release))
      .with_help(std::string(row.instead))
      .with_fix((row.safe || by_true ? diag::Fix::safe() : diag::Fix::unsafe()).remove(field.key));
}

static void check_unknown(const Reading& reading, const Modifier& modifier, const Field& field, Release release) {
  const Removed* removed = find_removed(modifier.spec->name, field.name);
  if (removed != nullptr && is_at_least(release, removed->release)) {
    report_removed(reading, modifier, field, *removed);
  } else if (removed == nullptr && base::contains(kInternal, field.name)) {
    reading.sink.report(diag::internal_field, field.key, field.name, modifier.spec->name, consequence_of(field))
        .with_help("delete it")
        .with_fix(diag::Fix::safe().remove(field.key));
  }
}

static void check_newer(const Reading& reading, const Modifier& modifier, Release release) {
  for (const Newer& row : kNewer) {
    const bool mine = row.modifier.empty() || row.modifier == modifier.spec->name;
    const Field* field = row.field.empty() ? nullptr : modifier.find(row.field);
    if (!mine || is_at_least(release, row.release) || (field == nullptr && !row.field.empty())) {
      continue;
    }
    const std::string what = fmt::format("`{}`", row.field.empty() ? modifier.spec->name : row.field);
    const bool ignored = field != nullptr && !is_at_least(release, v0_7);
    reading.sink
        .report(diag::newer_field, field == nullptr ? modifier.key : field->key, what, first_release_with(row.release),
                to_string(release))
        .with_severity(ignored ? diag::Severity::warning : diag::Severity::error)
        .with_help("delete it, or update llm-compressor");
  }
}

void check_release(const Reading& reading, const Modifier& modifier, Release release) {
  for (const Field& field : modifier.fields) {
    const Removed* removed = find_removed(modifier.spec->name, field.name);
    if (field.spec == nullptr) {
      check_unknown(reading, modifier, field, release);
    } else if (removed != nullptr && is_at_least(release, removed->release)) {
      report_removed(reading, modifier, field, *removed);
    }
  }
  check_newer(reading, modifier, release);
}

}  // namespace sparsecfg::dialect::llmcompressor
