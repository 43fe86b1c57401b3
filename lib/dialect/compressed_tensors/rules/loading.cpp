#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/class_of_numbers.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/schemes/arguments.h"
#include "dialect/schemes/codes.h"

// Checks for errors when the library loads the file, beyond the types of single values.
namespace sparsecfg::dialect::compressed_tensors {

using schemes::TensorRole;
using source::Value;

constexpr TensorRole kRoles[] = {TensorRole::weights, TensorRole::inputs, TensorRole::outputs};

DIAGNOSTIC(CT103, group_sizes_differ, warning, (std::int64_t, std::int64_t),
           "groups of {} in weights and {} in inputs are hard to combine",
           "compressed-tensors accepts different group sizes of weights and inputs, but warns that fused kernels "
           "seldom support them.",
           "write the same `group_size` for both")

namespace {

class LoadingCheck {
 public:
  LoadingCheck(const Context& context, Config& config) : context_(context), config_(config) {}

  void run() {
    for (ConfigGroup& group : config_.groups) {
      const std::size_t before = context_.sink.count(diag::Severity::error);
      group.preset ? check_preset(group) : check_group(group);
      group.valid = group.valid && context_.sink.count(diag::Severity::error) == before;
    }
    if (config_.cache != nullptr && context_.choice.runtime == Runtime::library) check_cache(*config_.cache);
    check_dtypes();
    check_patterns();
    check_repeated();
  }

 private:
  void check_preset(ConfigGroup& group) {
    if (schemes::find_preset(group.name) != nullptr) {
      return;
    }
    std::vector<std::string_view> known;
    for (const schemes::Preset& preset : schemes::presets()) known.push_back(preset.name);
    const auto guess = base::nearest(base::to_upper(group.name), known);
    group.valid = false;
    context_.sink.report(diag::scheme_unknown_preset, group.span, group.name)
        .with_severity(context_.in_library())
        .with_caret(schemes::quoted_error(fmt::format("Unknown preset scheme name {}", base::to_upper(group.name))))
        .with_help(base::did_you_mean(guess, "write a mapping with `targets` and `weights`"))
        .with_fix(guess ? diag::Fix::unsafe().content(group.span, std::string(*guess)) : diag::Fix());
  }

  void check_group(const ConfigGroup& group) {
    for (const TensorRole role : kRoles) {
      const Value* part = group.value->find(schemes::field_of(role));
      if (part == nullptr || part->get<source::Map>() == nullptr) continue;
      if (schemes::check_arguments(context_.sink, *part, role == TensorRole::weights ? role : loaded_as(role), true) &&
          role == TensorRole::inputs) {
        check_inputs(*part);
      }
    }
    if (group.format == "mixed-precision") {
      return;  // the row does not list this format
    }
    check_sizes(group);
  }

  // Only the library checks arguments against their tensor.
  [[nodiscard]] TensorRole loaded_as(TensorRole role) const {
    return context_.choice.runtime == Runtime::library ? role : TensorRole::weights;
  }

  void check_inputs(const Value& part) {
    const Strategy strategy = schemes::read_args(part).strategy;
    if (context_.choice.runtime == Runtime::library && (strategy == Strategy::channel || strategy == Strategy::block)) {
      const Value* written = part.find("strategy");
      context_.sink
          .report(diag::activation_strategy, written == nullptr ? part.span : written->span, "input_activations",
                  schemes::to_string(strategy), "")
          .with_caret(schemes::quoted_error(fmt::format(
              "Using {} strategy is not supported for activation quantization", schemes::to_string(strategy))))
          .with_help("write `\"strategy\": \"token\"` and `\"dynamic\": true`");
    }
  }

  void check_sizes(const ConfigGroup& group) {
    const QuantizationArgs& weights = group.weights.args;
    const QuantizationArgs& inputs = group.inputs.args;
    const bool both = weights.strategy == Strategy::group && inputs.strategy == Strategy::group;
    if (both && weights.present && inputs.present && weights.group_size != inputs.group_size) {
      context_.sink.report(diag::group_sizes_differ, group.span, weights.group_size, inputs.group_size);
    }
  }

  void check_dtypes() {
    for (const std::string_view name : {"config_groups", "kv_cache_scheme", "transform_config"}) {
      const Field* field = config_.record.find(name);
      const bool read = name != "kv_cache_scheme" || context_.choice.runtime == Runtime::library;
      if (field != nullptr && read) schemes::check_dtypes(context_.sink, field->value);
    }
  }

  void check_cache(const Value& cache) {
    if (!schemes::check_arguments(context_.sink, cache, TensorRole::cache, true)) {
      return;
    }
    const QuantizationArgs args = schemes::read_args(cache);
    const bool grouped = args.strategy == Strategy::group || args.strategy == Strategy::tensor_group;
    if (!grouped) schemes::check_role(context_.sink, cache, TensorRole::cache);
  }

  void check_patterns() {
    std::vector<Entry> entries = config_.ignore;
    for (const ConfigGroup& group : config_.groups) {
      std::ranges::copy(group.targets, std::back_inserter(entries));
    }
    for (const Entry& entry : entries) {
      if (const auto fault = schemes::fault_of(entry.text)) {
        auto& report = context_.sink.report(diag::regex_syntax, entry.span, *fault);
        report.with_help("write `.*` to match any text, or remove `re:` to match a name");
        advise_on_class(report, entry.text, entry.span);
      }
    }
  }

  // If targets are equal, the library uses the target of the last group.
  void check_repeated() {
    std::map<std::string_view, const ConfigGroup*> seen;
    for (const ConfigGroup& group : config_.groups) {
      for (const Entry& entry : group.targets) {
        const auto [before, added] = seen.try_emplace(entry.text, &group);
        if (!added && before->second != &group) {
          context_.sink.report(diag::target_in_two_groups, entry.span, entry.text, before->second->name, group.name)
              .with_severity(diag::Severity::warning)
              .with_help("delete the target from one of the groups");
        }
        before->second = &group;
      }
    }
  }

  const Context& context_;
  Config& config_;
};

}  // namespace

void check_loading(const Context& context, Config& config) { LoadingCheck(context, config).run(); }

}  // namespace sparsecfg::dialect::compressed_tensors
