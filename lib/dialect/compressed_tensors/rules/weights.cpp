#include "dialect/compressed_tensors/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/runtime_targets.h"

// Compares the file with the tensors of the weights.
namespace sparsecfg::dialect::compressed_tensors {

using model::Module;

namespace {

// Names of layers that are Linear in every model.
constexpr std::string_view kLinears[] = {"q_proj",    "k_proj",  "v_proj",    "o_proj",       "out_proj", "qkv_proj",
                                         "gate_proj", "up_proj", "down_proj", "gate_up_proj", "fc1",      "fc2",
                                         "w1",        "w2",      "w3",        "lm_head",      "q_a_proj", "q_b_proj",
                                         "kv_b_proj", "in_proj", "dense"};
// Parameters that contain a matrix of every expert.
constexpr std::string_view kFusedExperts[] = {"gate_up_proj", "up_proj", "down_proj"};
constexpr std::string_view kAttentionParts[] = {"k_proj", "v_proj", "qkv_proj", "kv_b_proj"};

std::string type_of(std::string_view module, bool quantized) {
  const std::string_view last = base::last_part(module);
  if (last.find("embed") != std::string_view::npos) return "Embedding";
  return quantized || base::contains(kLinears, last) ? "Linear" : "unknown";
}

}  // namespace

// Returns "`a`, `b` and 3 more".
static std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMaxCount = 3;
  const std::size_t count = names.size();
  names.resize(std::min(count, kMaxCount));
  for (std::string& name : names) name = fmt::format("`{}`", name);
  if (count > kMaxCount) names.push_back(fmt::format("{} more", count - kMaxCount));
  return base::join_and(names);
}

DIAGNOSTIC(CT304, quantized_in_one_place, error, (Text, Text, Text), "{} {}, but their weights are {}",
           "The weights of these layers were saved with a different `ignore` list than the list in the file.",
           "change `ignore` so that it agrees with the weights")

// Returns the first entry that matches all of these modules; null if there is none.
static const Entry* entry_for(const std::vector<Entry>& ignore, const std::vector<std::string>& modules) {
  for (const Entry& entry : ignore) {
    const model::Matcher matcher = schemes::matcher_of(entry.text);
    const auto matches = [&](const std::string& name) { return matcher.match(name) == regex::Match::yes; };
    if (std::ranges::all_of(modules, matches)) return &entry;
  }
  return nullptr;
}

static void report_place(const Context& context, const Config& config, TensorDifferences& all,
                         const std::vector<std::string>& modules, std::string_view state, std::string_view stored) {
  if (modules.empty()) {
    return;
  }
  auto& report =
      context.sink.report(diag::quantized_in_one_place, config.record.place("ignore"), listed(modules), state, stored);
  if (const Entry* entry = entry_for(config.ignore, modules)) {
    report.span = entry->span;
    report.with_help(
        fmt::format("delete `{}`; to keep these layers in 16 bits, quantize the model again", entry->text));
  }
  const std::set<std::string> done(modules.begin(), modules.end());
  for (std::vector<std::string>* names : {&all.missing, &all.unexpected}) {
    std::erase_if(*names, [&](const std::string& name) { return done.contains(std::string(parent_of(name))); });
  }
}

// A layer that has `weight` instead of packed weights, or the reverse, is ignored in only one of both places.
static void report_places(const Context& context, const Config& config, TensorDifferences& all) {
  std::map<std::string_view, std::set<std::string_view>> missing;
  std::map<std::string_view, std::set<std::string_view>> unexpected;
  for (const std::string& name : all.missing) missing[parent_of(name)].insert(base::last_part(name));
  for (const std::string& name : all.unexpected) unexpected[parent_of(name)].insert(base::last_part(name));
  std::vector<std::string> plain;
  std::vector<std::string> quantized;
  for (const auto& [module, suffixes] : unexpected) {
    const auto& lacks = missing[module];
    if (suffixes.contains("weight_scale") && !lacks.contains("weight_scale")) quantized.emplace_back(module);
    if (lacks.contains("weight_scale")) plain.emplace_back(module);
  }
  for (const auto& [module, lacks] : missing) {
    if (lacks.contains("weight_scale") && !unexpected.contains(module)) plain.emplace_back(module);
  }
  report_place(context, config, all, quantized, "are not in a group", "quantized");
  report_place(context, config, all, plain, "are in a group", "not quantized");
}

// Returns a pattern in JSON for all layers in a module, and in modules with other numbers.
static std::string pattern_for(const std::string& module) {
  std::string out = "re:";
  for (std::size_t at = 0; at < module.size(); ++at) {
    const bool digit = base::is_digit(module[at]);
    if (digit && at > 0 && base::is_digit(module[at - 1])) continue;
    out += digit ? "\\\\d+" : module[at] == '.' ? "\\\\." : std::string(1, module[at]);
  }
  return out + ".*";
}

// Experts that are one parameter are not quantized, but vLLM loads them with the scheme of linear layers.
static void report_dense_experts(const Context& context, const Config& config, const model::ModelNames& tensors) {
  const RuntimeTargets targets(config, RuntimeChoice{.runtime = Runtime::vllm});
  std::vector<std::string> dense;
  for (const std::string& name : tensors.list()) {
    if (!base::contains(kFusedExperts, base::last_part(name))) continue;
    const std::string module(parent_of(name));
    if (base::last_part(module) != "experts" || (!dense.empty() && dense.back() == module)) continue;
    if (targets.group_of_expert(module) && targets.group_of_expert(module + ".0.gate_proj")) dense.push_back(module);
  }
  if (!dense.empty()) {
    context.sink
        .report(diag::quantized_in_one_place, config.record.place("ignore"), listed(dense), "get a scheme in vLLM",
                "not quantized")
        .with_severity(context.in(Runtime::vllm))
        .with_help(fmt::format("add `\"{}\"` to `ignore`", pattern_for(dense.front())));
  }
}

DIAGNOSTIC(CT301, tensor_missing, error, (Text, Text), "the tensor `{1}` is missing for {0}",
           "Each format requires certain tensors for a quantized layer, such as `weight_packed` and `weight_scale`, "
           "and `weight` for a layer without quantization. Runtimes stop with a KeyError, or run with uninitialized "
           "values. This check needs `--params`.",
           "save the weights and the file together again")

DIAGNOSTIC(CT302, tensor_unexpected, error, (Text, Text), "unexpected tensor `{1}` for {0}",
           "The scheme of the layer does not use this tensor, so the file and the weights belong to different "
           "quantizations. Zero points are stored for asymmetric weights, `weight_g_idx` for the activation order "
           "`group`, `input_scale` for static inputs, and `k_scale` for a `kv_cache_scheme`.",
           "correct the arguments of the group, or save the model again")

static void report_by_suffix(const Context& context, const Config& config, const std::vector<std::string>& names,
                             bool missing) {
  std::map<std::string_view, std::vector<std::string>> modules;
  for (const std::string& name : names) modules[base::last_part(name)].emplace_back(parent_of(name));
  for (const auto& [suffix, owners] : modules) {
    const bool cache = suffix.size() == 7 && suffix.ends_with("_scale");  // k_scale, v_scale, q_scale
    const source::Span span = config.record.place(cache ? FieldName("kv_cache_scheme") : "config_groups");
    missing ? context.sink.report(diag::tensor_missing, span, listed(owners), suffix)
            : context.sink.report(diag::tensor_unexpected, span, listed(owners), suffix);
  }
}

DIAGNOSTIC(CT303, tensor_shape, error, (Text, Text, Text), "`{}` has the shape {}, but its scheme requires {}",
           "The shapes of packed weights and scales follow from the number of bits, the strategy and the group size. "
           "The file describes a different quantization than the stored weights have.",
           "correct `num_bits`, `strategy` or `group_size`")

// Reports one shape of each kind of tensor.
static void report_shapes(const Context& context, const Config& config, const TensorDifferences& all) {
  std::map<std::string_view, std::vector<std::string>> names;
  for (const auto& [name, shapes] : all.shapes) names[base::last_part(name)].push_back(name);
  for (const auto& [suffix, tensors] : names) {
    const auto& shapes = all.shapes.at(tensors.front());
    auto& report = context.sink.report(diag::tensor_shape, config.record.place("config_groups"), tensors.front(),
                                       model::to_text(shapes.found), model::to_text(shapes.wanted));
    if (tensors.size() > 1) report.with_caret(fmt::format("and {} other tensors", tensors.size() - 1));
  }
}

Modules modules_of(const model::ModelNames& tensors) {
  struct Known {
    bool quantized = false;
    const model::Shape* shape = nullptr;
  };

  std::map<std::string_view, Known> layers;  // sorted, as the modules are
  std::set<std::string_view> attention;
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const std::string_view module = parent_of(tensors[at]);
    const std::string_view suffix = base::last_part(tensors[at]);
    if (suffix.starts_with("weight")) {
      Known& known = layers[module];
      known.quantized |= suffix == "weight_scale" || suffix == "weight_packed";
      if (suffix == "weight" && tensors.shape(at) != nullptr) known.shape = tensors.shape(at);
    }
    if (base::contains(kAttentionParts, base::last_part(module))) attention.insert(parent_of(module));
  }
  Modules out;
  for (const auto& [name, known] : layers) {
    out.push_back({std::string(name), type_of(name, known.quantized),
                   known.shape == nullptr ? std::nullopt : std::optional(*known.shape)});
  }
  for (const std::string_view name : attention) out.push_back({std::string(name), "Attention", std::nullopt});
  return out;
}

// Returns the modules of a model, and the layers that only its files have, such as those for multi-token prediction. A
// model whose files use other names is compared only where the names agree.
static Modules with_stored(const Modules& model, const model::ModelNames& tensors) {
  std::unordered_set<std::string_view> names;
  for (const Module& module : model) names.insert(module.name);
  Modules out = model;
  Modules stored = modules_of(tensors);
  const auto is_known = [&](const Module& module) { return names.contains(module.name); };
  if (std::ranges::count_if(stored, is_known) * 2 < std::ssize(stored)) {
    return out;
  }
  std::ranges::copy_if(stored, std::back_inserter(out), [&](const Module& module) { return !is_known(module); });
  return out;
}

void check_weights(const Context& context, const Config& config, const model::ModelNames& tensors) {
  const Field* status = config.record.find("quantization_status");
  const auto* text = status == nullptr ? nullptr : status->value.get<std::string>();
  if (text != nullptr && *text != "compressed") {
    return;  // the weights are not compressed
  }
  const Modules modules = context.modules != nullptr ? with_stored(*context.modules, tensors) : modules_of(tensors);
  TensorDifferences all = differences_of(config, modules, tensors);
  report_places(context, config, all);
  report_dense_experts(context, config, tensors);
  report_by_suffix(context, config, all.missing, true);
  report_by_suffix(context, config, all.unexpected, false);
  report_shapes(context, config, all);
}

}  // namespace sparsecfg::dialect::compressed_tensors
