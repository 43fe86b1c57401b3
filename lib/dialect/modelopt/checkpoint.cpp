#include "dialect/modelopt/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/budget.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/quantizers/runtime_names.h"
#include "dialect/runtime_option.h"
#include "dialect/weights_beside.h"
#include "doc/construct.h"
#include "model/model_names.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"
#include "source/load.h"

// docs/semantics/modelopt.md#g1
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO601, format_is_not_loaded, silent_warning, (Text, Text), "{} the format `{}`",
           "Each runtime supports some of the formats that ModelOpt writes. vLLM and SGLang reject a checkpoint with "
           "another one. In a list of several formats, they silently leave such layers unquantized.",
           "use another runtime, or export the model in FP8 or NVFP4")
DIAGNOSTIC(MO602, mixed_without_layers, error, (), "`MIXED_PRECISION` requires `quantized_layers`",
           "vLLM stops with a ValueError, and TensorRT-LLM rejects the checkpoint.", "export the model again")
DIAGNOSTIC(MO603, exclude_matches_more, silent_warning, (Text, Text),
           "vLLM also excludes {1}, because `{0}` is part of its name",
           "vLLM compares an entry without wildcards also with parts of names, so the layer is loaded without "
           "quantization although its weights are packed. SGLang and TensorRT-LLM compare whole names.",
           "write `{0}.*`, or the full names of the layers")
DIAGNOSTIC(
    MO604, group_size_is_ignored, silent_warning, (Text), "vLLM ignores `config_groups` and uses groups of 16, not {}",
    "vLLM reads `group_size` from `hf_quant_config.json`, or from the first level of `quantization_config`. If it "
    "reads the size there, its NVFP4 kernels still quantize inputs in groups of 16.",
    "quantize the model again with `block_sizes: {{-1: 16, type: dynamic, scale_bits: [4, 3]}}`")
DIAGNOSTIC(MO605, files_disagree, silent_warning, (Text), "`hf_quant_config.json` has another {}",
           "vLLM uses `hf_quant_config.json` only if `config.json` has no quantization_config. TensorRT-LLM prefers "
           "`hf_quant_config.json`. The layers are then read in different formats.",
           "export the model again")
DIAGNOSTIC(
    MO606, missing_checkpoint_key, error, (Text), "`quantization` has no `{}`, which vLLM requires for NVFP4",
    "vLLM reads `group_size`, `kv_cache_quant_algo` and `exclude_modules` of an NVFP4 checkpoint, and stops with a "
    "ValueError if one of them is missing or null.",
    "add `\"{0}\"`")

DIAGNOSTIC(MO607, stored_otherwise_than_listed, silent_warning, (Text, Text, Text), "`{0}` is stored {1}, but {2}",
           "The names of the stored tensors show which layers are packed. A layer that is packed and excluded loads "
           "packed numbers as weights. A layer that is neither packed nor excluded has no scales.",
           "correct `exclude_modules`")
DIAGNOSTIC(MO608, cache_without_scales, silent_warning, (),
           "the file states a quantized attention cache, but the weights have no `k_scale` and `v_scale`",
           "Runtimes then use a scale of 1.0, so large keys and values are clipped.",
           "export the model again with a calibrated cache, or delete the format of the cache")

DIAGNOSTIC(MO609, shard_splits_groups, error, (Text, std::uint64_t, std::uint64_t, std::uint64_t),
           "the {1} columns of `{0}` on {2} GPUs are no multiple of {3}",
           "A runtime splits the columns of some layers across GPUs. Each part must consist of whole groups or blocks.",
           "use fewer GPUs")
DIAGNOSTIC(
    MO610, wildcard_is_not_renamed, info, (Text, Text), "vLLM before 0.13 does not rename `{}` to `{}*`",
    "vLLM renames the modules of this architecture by prefixes that end with a period. Before 0.13, an entry with "
    "`*` instead of the period stays as it is and matches no layer of vLLM, so the layers are built quantized.",
    "write `{0}` with a period before the `*`")

DIAGNOSTIC(MO612, format_without_kernel, error, (Text, Text, Text),
           "vLLM does not run `{0}` of ModelOpt on {1}, which has capability {2}",
           "vLLM requires compute capability 8.9 for 8-bit floats of ModelOpt, and stops on an older GPU.",
           "use a GPU of compute capability 8.9 or later, such as L4, L40S or H100")
DIAGNOSTIC(MO613, format_with_wider_inputs, warning, (Text, Text), "on {1}, vLLM runs `{0}` with 16-bit inputs",
           "Kernels for NVFP4 need compute capability 10.0. On an older GPU, vLLM keeps the weights quantized and "
           "multiplies in 16 bits. The model loads, but it is slower than on a newer GPU.",
           "use a GPU of compute capability 10.0 or later, such as B200")

bool is_checkpoint(const doc::Document& document) {
  const auto section = member(document, document.root, "quantization");
  if (section && member(document, *section, "quant_algo")) return true;
  const auto found = find_quantization(document);
  return found && !found->whole_file && owner_of(document, *found) == "modelopt";
}

// --- selection --------------------------------------------------------------------------------------

namespace {

bool is_linear(std::string_view type) {
  return type.ends_with("Linear") || type == "Conv1D" || (type.ends_with("Experts") && type != "Experts");
}

ir::Decisions decide_checkpoint(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                std::span<const model::Module> modules) {
  ir::Decisions out;
  out.of_modules.resize(modules.size());
  base::Budget budget = selectors::assignment_budget();
  selectors::TermIndex index;
  for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
    index.add(selectors::How::glob, selection.rules[at].entry, at);
    index.add(selectors::How::prefix_of_parts, selection.rules[at].entry, at);
  }
  index.finish({}, budget);
  std::vector<std::uint32_t> found;
  std::map<std::optional<std::uint32_t>, std::uint32_t> numbers;  // of entries, by the rule that decides
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!is_linear(modules[at].type)) continue;
    found.clear();
    out.complete = index.find(modules[at].name, budget, found) && out.complete;
    ir::Decisions::Decision decision;
    decision.reason = found.empty() ? ir::Decisions::Reason::by_default : ir::Decisions::Reason::rule;
    if (!found.empty()) {
      const std::uint32_t first = *std::ranges::min_element(found);
      decision.rule = first;
      decision.kind = selection.rules[first].kind;
      decision.scheme = selection.rules[first].scheme;
    } else if (selection.otherwise) {
      decision.kind = ir::Rule::Kind::assigns;
      decision.scheme = *selection.otherwise;
    }
    const auto [known, is_new] = numbers.emplace(decision.rule, static_cast<std::uint32_t>(out.entries.size()));
    out.of_modules[at] = known->second;
    if (is_new) out.entries.push_back(std::move(decision));
  }
  return out;
}

constexpr ir::Language kCheckpointLanguage{
    .name = "ModelOpt checkpoint", .decide = decide_checkpoint, .order_matters = false};

// --- formats ----------------------------------------------------------------------------------------

// The standard meaning of a name: the attributes of the preset that exports it.
struct Standard {
  Algo algo;
  std::string_view preset;
};

constexpr Standard kStandards[] = {
    {Algo::fp8, "model/fp8"},
    {Algo::fp8_per_channel_per_token, "model/fp8_per_channel_per_token"},
    {Algo::fp8_blocks, "model/fp8_2d_blockwise_weight_only"},
    {Algo::int8, "model/int8"},
    {Algo::int8_weight_only, "model/int8_weight_only"},
    {Algo::int4_awq, "model/int4_awq"},
    {Algo::w4a8_awq, "model/w4a8_awq_beta"},
    {Algo::nvfp4, "model/nvfp4"},
    {Algo::w4a16_nvfp4, "model/w4a16_nvfp4"},
    {Algo::w4a8_nvfp4_fp8, "model/w4a8_nvfp4_fp8"},
    {Algo::w4a8_mxfp4_fp8, "model/w4a8_mxfp4_fp8"},
    {Algo::mxfp4, "model/mxfp4"},
    {Algo::mxfp8, "model/mxfp8"},
};

// Other names of formats in files, and names that depend on calibration.
constexpr std::pair<std::string_view, Algo> kOtherNames[] = {{"NVFP4_AWQ", Algo::nvfp4},
                                                             {"NVFP4_SVD", Algo::nvfp4},
                                                             {"FP8_PB_WO", Algo::fp8_blocks},
                                                             {"FP8_BLOCK_SCALES", Algo::fp8_blocks}};

// Names of formats that a runtime rejects, although it loads the format under its usual name.
struct RejectedName {
  std::string_view format;
  std::string_view runtime;
};

constexpr RejectedName kRejectedNames[] = {
    {"NVFP4_AWQ", "vLLM"}, {"NVFP4_SVD", "vLLM"}, {"NVFP4_SVD", "SGLang"}, {"NVFP4_SVD", "TensorRT-LLM"}};

bool rejects_name(const Runtime& runtime, std::string_view format) {
  const std::string upper = base::to_upper(format);
  return std::ranges::any_of(
      kRejectedNames, [&](const RejectedName& each) { return each.format == upper && each.runtime == runtime.name; });
}

std::optional<Algo> algo_of(std::string_view name) {
  for (const auto& [other, algo] : kOtherNames) {
    if (base::to_upper(name) == other) return algo;
  }
  for (const Standard& each : kStandards) {
    if (base::to_upper(name) == base::to_upper(name_of(each.algo))) return each.algo;
  }
  return std::nullopt;
}

void set_group(std::vector<ir::TensorFormat>& formats, std::int64_t group) {
  for (ir::TensorFormat& format : formats) {
    if (format.granularity == ir::Granularity::group) format.group_size = group;
  }
}

class CheckpointReader {
 public:
  CheckpointReader(const Context& context, ir::Recipe& out)
      : context_(context), whole_(doc::construct(context.document, context.document.root, context.sink)), out_(out) {
    const Value* config = whole_.find("quantization_config");
    in_config_ = config != nullptr;
    config_ = in_config_ ? *config : *whole_.find("quantization");
    if (const Value* nested = config_.find("quantization")) config_ = *nested;
  }

  void read() {
    assign_.selection.language = &kCheckpointLanguage;
    const Value* name = config_.find("quant_algo");
    const auto* algo = name == nullptr ? nullptr : name->get<std::string>();
    if (algo != nullptr && base::to_upper(*algo) == "MIXED_PRECISION") {
      read_mixed(name->span);
    } else if (algo != nullptr) {
      assign_.selection.otherwise = scheme_number(*algo, name->span, group_in(config_));
      check_runtimes(*algo, name->span);
      check_gpu(*algo, name->span);
    }
    read_excluded();
    check_group();
    check_required(algo);
    check_other_file();
    check_tensors();
    check_shards();
    check_fused();
    check_wildcards();
    finish();
  }

 private:
  [[nodiscard]] static std::optional<std::int64_t> group_in(const Value& config) {
    const Value* size = config.given("group_size");
    const auto* number = size == nullptr ? nullptr : size->get<std::int64_t>();
    return number == nullptr ? std::nullopt : std::optional(*number);
  }

  // Returns the index of the scheme of a format; nullopt if the name is unknown.
  std::optional<std::uint32_t> scheme_number(const std::string& name, source::Span span,
                                             std::optional<std::int64_t> group) {
    const auto algo = algo_of(name);
    if (!algo) {
      if (const auto other = group_of_config(); !other) out_.incomplete = true;
      context_.sink.report(diag::format_is_not_loaded, span, std::string("no runtime loads"), name);
      return std::nullopt;
    }
    const auto* standard = std::ranges::find(kStandards, *algo, &Standard::algo);
    ir::Scheme scheme = scheme_of_preset(standard->preset);
    if (const auto size = group ? group : group_of_config()) {
      set_group(scheme.weights, *size);
      set_group(scheme.inputs, *size);
    }
    const auto known = std::ranges::find(assign_.schemes, scheme);
    const auto number = static_cast<std::uint32_t>(known - assign_.schemes.begin());
    if (known == assign_.schemes.end()) assign_.schemes.push_back(std::move(scheme));
    return number;
  }

  [[nodiscard]] std::optional<std::int64_t> group_of_config() const {
    const Value* groups = config_.find("config_groups");
    const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
    const Value* weights = map == nullptr || map->empty() ? nullptr : map->front().second.find("weights");
    return weights == nullptr ? std::nullopt : group_in(*weights);
  }

  // Returns the formats that a preset gives to a linear layer.
  [[nodiscard]] ir::Scheme scheme_of_preset(std::string_view name) const {
    const Config config = read_config(context_, preset(name));
    const std::vector<model::Module> modules{{"model.layers.0.mlp.up_proj", "Linear", {}}};
    std::vector<QuantizedModule> quantized = insert_quantizers(modules);
    ir::Scheme out;
    if (!apply_entries(picks_of(config.entries), quantized)) return out;
    const auto add = [&](Tensor tensor, std::vector<ir::TensorFormat>& formats) {
      const Quantizer* quantizer = quantized.front().find(tensor);
      for (const Step& step : quantizer->steps) {
        if (!step.on) continue;
        formats.push_back(
            format_of(attributes_of(quantized.front(), *quantizer, step, config.entries), tensor == Tensor::weights));
      }
    };
    add(Tensor::weights, out.weights);
    add(Tensor::inputs, out.inputs);
    return out;
  }

  static std::string not_loaded_by(const std::vector<std::string>& runtimes) {
    return base::join_and(runtimes) + (runtimes.size() == 1 ? " does not load" : " do not load");
  }

  // Returns true if one of the runtimes is that of the option `runtime`.
  [[nodiscard]] bool is_selected(const std::vector<std::string>& titles) const {
    const Runtime* runtime = selected_runtime(context_.options);
    return runtime != nullptr && std::ranges::find(titles, runtime->name) != titles.end();
  }

  void check_runtimes(const std::string& name, source::Span span) {
    const auto algo = algo_of(name);
    if (!algo) return;
    std::vector<std::string> missing;
    for (const Runtime& runtime : runtimes()) {
      const bool loads =
          std::ranges::find(runtime.accepts, *algo) != runtime.accepts.end() && !rejects_name(runtime, name);
      if (!loads) missing.push_back(std::string(runtime.name));
    }
    if (missing.size() == runtimes().size()) {
      context_.sink.report(diag::format_is_not_loaded, span, std::string("no runtime loads"), name)
          .with_caret("vLLM, SGLang and TensorRT-LLM reject it");
    } else if (!missing.empty()) {
      auto& report = context_.sink.report(diag::format_is_not_loaded, span, not_loaded_by(missing), name);
      report.with_severity(is_selected(missing) ? diag::Severity::error : diag::Severity::info);
    }
  }

  // Reports a format without kernels on the GPU of the option.
  void check_gpu(const std::string& name, source::Span span) {
    const auto algo = algo_of(name);
    const auto gpu = gpu_of(context_.options);
    if (!algo || !gpu || quantizers::runtime_of(context_.options) != quantizers::Runtime::vllm) return;
    const bool eight_bits = *algo == Algo::fp8 || *algo == Algo::fp8_per_channel_per_token || *algo == Algo::fp8_blocks;
    const int capability = gpu->capability;
    if (eight_bits && capability < 89) {
      context_.sink.report(diag::format_without_kernel, span, name, gpu->title, capability_text(capability));
    } else if (*algo == Algo::nvfp4 && capability < 100) {
      context_.sink.report(diag::format_with_wider_inputs, span, name, gpu->title);
    }
  }

  void read_mixed(source::Span span) {
    const Value* layers = config_.given("quantized_layers");
    const auto* map = layers == nullptr ? nullptr : layers->get<source::Map>();
    if (map == nullptr || map->empty()) {
      valid_ = false;
      context_.sink.report(diag::mixed_without_layers, layers == nullptr ? span : layers->span);
      return;
    }
    std::set<std::string> seen;
    for (const source::Entry& entry : *map) {
      const auto* name = entry.first.get<std::string>();
      const Value* format = entry.second.find("quant_algo");
      const auto* algo = format == nullptr ? nullptr : format->get<std::string>();
      if (name == nullptr || algo == nullptr) continue;
      const auto scheme = scheme_number(*algo, format->span, group_in(entry.second));
      if (scheme) add_rule(*name, entry.first.span, ir::Rule::Kind::assigns, *scheme);
      if (scheme && seen.insert(*algo).second) check_mixed_format(*algo, format->span);
    }
  }

  // In a list of several formats, vLLM and SGLang leave layers with other formats unquantized without a message.
  void check_mixed_format(const std::string& name, source::Span span) {
    constexpr std::string_view kInVllm[] = {"FP8", "FP8_PB_WO", "NVFP4"};
    constexpr std::string_view kInSglang[] = {"FP8", "MXFP8", "NVFP4", "W4A16_NVFP4"};
    const std::string upper = base::to_upper(name);
    std::vector<std::string> missing;
    if (!base::contains(kInVllm, upper)) missing.emplace_back("vLLM");
    if (!base::contains(kInSglang, upper)) missing.emplace_back("SGLang");
    if (missing.empty()) return;
    auto& report = context_.sink.report(diag::format_is_not_loaded, span, not_loaded_by(missing), name);
    report.with_severity(missing.size() > 1 ? diag::Severity::warning : diag::Severity::info);
  }

  void add_rule(const std::string& pattern, source::Span span, ir::Rule::Kind kind, std::uint32_t scheme = 0) {
    ir::Rule rule;
    rule.entry = pattern;
    rule.span = span;
    rule.kind = kind;
    rule.scheme = scheme;
    assign_.selection.rules.push_back(std::move(rule));
  }

  [[nodiscard]] const Value* excluded() const {
    const Value* list = config_.given("exclude_modules");
    return list == nullptr ? config_.given("ignore") : list;
  }

  void read_excluded() {
    const Value* list = excluded();
    const auto* items = list == nullptr ? nullptr : list->get<source::List>();
    for (const Value& item : items == nullptr ? source::List() : *items) {
      const auto* pattern = item.get<std::string>();
      if (pattern == nullptr) continue;
      add_rule(*pattern, item.span, ir::Rule::Kind::excludes);
    }
    check_substrings();
  }

  // vLLM also finds an entry without wildcards inside of names.
  void check_substrings() {
    if (context_.options.modules == nullptr) return;
    base::Budget budget = selectors::assignment_budget();
    selectors::TermIndex index;
    const std::vector<ir::Rule>& rules = assign_.selection.rules;
    for (std::uint32_t at = 0; at < rules.size(); ++at) {
      const bool plain = rules[at].entry.find_first_of("*?[") == std::string::npos;
      if (plain && rules[at].kind == ir::Rule::Kind::excludes)
        index.add(selectors::How::substring, rules[at].entry, at);
    }
    index.finish({}, budget);
    std::vector<bool> reported(rules.size());
    std::vector<std::uint32_t> found;
    for (const model::Module& module : *context_.options.modules) {
      if (!is_linear(module.type)) continue;
      found.clear();
      if (!index.find(module.name, budget, found)) return;
      for (const std::uint32_t at : found) {
        if (!reported[at]) reported[at] = check_substring(rules[at], module.name);
      }
    }
  }

  // Returns true after a report.
  bool check_substring(const ir::Rule& rule, const std::string& name) {
    const std::string& pattern = rule.entry;
    const std::string_view rest = std::string_view(name).substr(name.find(pattern) + pattern.size());
    const bool whole = name.starts_with(pattern) && (rest.empty() || rest.front() == '.');
    if (whole || name.ends_with("." + pattern)) return false;
    context_.sink.report(diag::exclude_matches_more, rule.span, pattern, fmt::format("`{}`", name));
    return true;
  }

  void check_group() {
    const auto size = group_of_config();
    const bool first_level = group_in(config_).has_value();
    if (!in_config_ || !size || *size == 16 || first_level || has_other_file()) return;
    context_.sink.report(diag::group_size_is_ignored, config_.find("config_groups")->span, fmt::format("{}", *size));
  }

  void check_required(const std::string* algo) {
    if (in_config_ || algo == nullptr || base::to_upper(*algo) != "NVFP4") return;
    for (const std::string_view key : {"group_size", "kv_cache_quant_algo", "exclude_modules"}) {
      const Value* value = config_.find(key);
      const bool missing = value == nullptr || (value->is_null() && key == "exclude_modules");
      if (!missing) continue;
      context_.sink.report(diag::missing_checkpoint_key, value == nullptr ? config_.span : value->span,
                           std::string(key));
    }
  }

  // Returns what the lists decide for the modules of the model. All entries are read.
  const ir::Decisions& decide(const std::vector<model::Module>& modules) {
    if (!decisions_) decisions_ = decide_checkpoint(assign_.selection, assign_.schemes, modules);
    return *decisions_;
  }

  // Reports the first layer whose groups a runtime would split.
  void check_shards() {
    const std::uint64_t gpus = gpus_of(context_.options);
    if (gpus <= 1 || context_.options.modules == nullptr || !valid_ || assign_.schemes.empty()) return;
    const std::vector<model::Module>& modules = *context_.options.modules;
    const ir::Decisions& decisions = decide(modules);
    const Value* place = config_.find("quant_algo");
    for (std::size_t at = 0; at < modules.size() && decisions.complete; ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool whole = !modules[at].shape || modules[at].shape->size() != 2 || !is_linear(modules[at].type);
      if (whole || decision.kind != ir::Rule::Kind::assigns || !quantizers::splits_columns(modules[at].name)) continue;
      const std::uint64_t size = quantizers::columns_together(assign_.schemes[decision.scheme]);
      const std::uint64_t columns = modules[at].shape->back();
      if (size == 0 || columns % (size * gpus) == 0) continue;
      context_.sink.report(diag::shard_splits_groups, place == nullptr ? config_.span : place->span, modules[at].name,
                           columns, gpus, size);
      return;
    }
  }

  // Reports the first layer of vLLM with parts that are quantized and parts that are not, and counts the others.
  void check_fused() {
    const Runtime* runtime = selected_runtime(context_.options);
    const bool compares_names = runtime != nullptr && runtime->name == "SGLang";
    if (context_.options.modules == nullptr || !valid_ || !assign_.selection.otherwise || compares_names) return;
    const std::vector<model::Module>& modules = *context_.options.modules;
    const ir::Decisions& decisions = decide(modules);
    if (!decisions.complete) return;
    std::map<std::string_view, const ir::Decisions::Decision*> by_name;
    for (std::size_t at = 0; at < modules.size(); ++at) {
      by_name[modules[at].name] = &decisions.entries[decisions.of_modules[at]];
    }
    std::vector<Split> splits;
    for (const model::Module& layer : quantizers::fused_layers(modules, {.head = false, .experts = false})) {
      if (auto split = split_of(layer.name, by_name)) splits.push_back(std::move(*split));
    }
    if (!splits.empty()) report_split(splits);
  }

  // A layer of a runtime that has quantized and other parts.
  struct Split {
    std::string layer;
    std::vector<std::string> quantized;
    std::vector<std::string> plain;
    source::Span place;  // of the entry that decides one of the plain parts
  };

  std::optional<Split> split_of(const std::string& layer,
                                const std::map<std::string_view, const ir::Decisions::Decision*>& by_name) const {
    Split out{layer, {}, {}, {}};
    for (const std::string& part : quantizers::parts_of(layer)) {
      const auto found = by_name.find(part);
      if (found == by_name.end()) continue;
      const ir::Decisions::Decision& decision = *found->second;
      const bool quantized = decision.kind == ir::Rule::Kind::assigns;
      (quantized ? out.quantized : out.plain).push_back(part);
      if (decision.rule && (!quantized || out.place.empty())) {
        out.place = assign_.selection.rules[*decision.rule].span;
      }
    }
    return out.quantized.empty() || out.plain.empty() ? std::nullopt : std::optional(std::move(out));
  }

  void report_split(const std::vector<Split>& splits) {
    const Split& first = splits.front();
    const auto last = [](const std::vector<std::string>& names) {
      std::vector<std::string> out;
      for (const std::string& name : names) out.push_back(fmt::format("`{}`", base::last_part(name)));
      return base::join_and(out);
    };
    auto& report = context_.sink.report(diag::fused_layers_differ, first.place, first.layer,
                                        fmt::format("{} {} quantized, {} not", last(first.quantized),
                                                    first.quantized.size() == 1 ? "is" : "are", last(first.plain)));
    if (selected_runtime(context_.options) != nullptr) report.with_severity(diag::Severity::error);
    const std::size_t more = splits.size() - 1;
    report.with_help(
        fmt::format("exclude {} too{}, and export the model again", last(first.quantized),
                    more == 0 ? "" : fmt::format(", also in {} more layer{}", more, more == 1 ? "" : "s")));
  }

  // Reports entries such as `model.visual*`, which old releases of vLLM do not rename.
  void check_wildcards() {
    const Value* architectures = whole_.find("architectures");
    const auto* list = architectures == nullptr ? nullptr : architectures->get<source::List>();
    const auto* name = list == nullptr || list->empty() ? nullptr : list->front().get<std::string>();
    if (name == nullptr) return;
    for (const ir::Rule& rule : assign_.selection.rules) {
      if (rule.kind != ir::Rule::Kind::excludes || !rule.entry.ends_with('*')) continue;
      const std::string_view stem = std::string_view(rule.entry).substr(0, rule.entry.size() - 1);
      for (const quantizers::PrefixRow& row : quantizers::prefix_rows()) {
        const bool fits = row.architecture == *name && row.checkpoint != "lm_head." &&
                          row.checkpoint.substr(0, row.checkpoint.size() - 1) == stem;
        if (!fits) continue;
        context_.sink
            .report(diag::wildcard_is_not_renamed, rule.span, rule.entry, row.runtime.substr(0, row.runtime.size() - 1))
            .with_help(fmt::format("write `{}.*`", stem));
        return;
      }
    }
  }

  // --- tensors --------------------------------------------------------------------------------------

  void check_tensors() {
    const Value* place = config_.find("quant_algo");
    const source::Span span = place == nullptr ? config_.span : place->span;
    const auto beside = weights_beside(context_.file, context_.options, span, context_.sink);
    const model::ModelNames* names = beside != nullptr ? beside.get() : context_.options.parameters;
    if (names == nullptr) return;
    std::set<std::string_view> stored(names->list().begin(), names->list().end());
    check_cache(stored);
    if (context_.options.modules != nullptr && valid_ && !assign_.schemes.empty()) check_layers(stored);
  }

  void check_cache(const std::set<std::string_view>& stored) {
    const Value* scheme = config_.given("kv_cache_scheme");
    const Value* cache = scheme == nullptr ? config_.given("kv_cache_quant_algo") : scheme;
    const auto is_scale = [](std::string_view name) {
      return name.ends_with(".k_scale") || name.ends_with(".v_scale");
    };
    if (cache == nullptr || std::ranges::any_of(stored, is_scale)) return;
    context_.sink.report(diag::cache_without_scales, cache->span);
  }

  // Reports the first layer whose tensors contradict the lists. The lists contain the names of the tensors.
  void check_layers(const std::set<std::string_view>& stored) {
    const std::vector<model::Module>& modules = *context_.options.modules;
    const auto& names = context_.options.stored_names;
    const ir::Decisions& decisions = decide(modules);
    for (std::size_t at = 0; at < modules.size() && decisions.complete; ++at) {
      const std::string& name = names ? (*names)[at] : modules[at].name;
      if (!is_linear(modules[at].type) || !stored.contains(name + ".weight")) continue;
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      const bool packed = stored.contains(name + ".weight_scale");
      if (packed == (decision.kind == ir::Rule::Kind::assigns)) continue;
      const source::Span place = decision.rule ? assign_.selection.rules[*decision.rule].span : config_.span;
      context_.sink.report(diag::stored_otherwise_than_listed, place, name,
                           std::string(packed ? "quantized" : "unquantized"),
                           std::string(packed ? "the file excludes it" : "no entry excludes it"));
      return;
    }
  }

  // --- the other file -------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::string> other_text() const {
    const std::string& name = context_.file.name();
    if (name.empty() || name == "-" || !in_config_) return std::nullopt;
    const std::filesystem::path path = std::filesystem::path(name).parent_path() / "hf_quant_config.json";
    constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
    source::Loaded text = source::read_file(path.native(), kMaxBytes);
    auto* content = std::get_if<std::string>(&text);
    return content == nullptr ? std::nullopt : std::optional(std::move(*content));
  }

  [[nodiscard]] bool has_other_file() const { return other_text().has_value(); }

  void check_other_file() {
    const auto text = other_text();
    if (!text) return;
    auto read = source::read_json(*text);
    const auto* value = std::get_if<std::optional<Value>>(&read);
    const Value* other = value == nullptr || !*value ? nullptr : (*value)->find("quantization");
    if (other == nullptr) return;
    const auto compare = [&](std::string_view key, std::string_view title) {
      const Value* own = config_.find(key);
      const Value* theirs = other->find(key);
      if (own != nullptr && theirs != nullptr && own->get<std::string>() != nullptr && !(*own == *theirs)) {
        context_.sink.report(diag::files_disagree, own->span, std::string(title))
            .with_caret(fmt::format("there it is {}", source::describe(*theirs)));
      }
    };
    compare("quant_algo", "format");
    const bool cache = config_.given("kv_cache_scheme") != nullptr || config_.given("kv_cache_quant_algo") != nullptr;
    const bool other_cache = other->given("kv_cache_quant_algo") != nullptr;
    if (cache != other_cache) {
      const Value* place = config_.find("quant_method");
      context_.sink.report(diag::files_disagree, place == nullptr ? config_.span : place->span,
                           std::string("cache format"));
    }
  }

  void finish() {
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin.class_name = "quantization";
    action.origin.ordinal = 1;
    action.origin.span = config_.span;
    action.valid = valid_;
    if (assign_.schemes.empty()) assign_.schemes.emplace_back();
    action.operations.emplace_back(std::move(assign_));
    out_.actions.push_back(std::move(action));
    out_.is_result = true;
  }

  const Context& context_;
  Value whole_;
  Value config_;
  ir::Recipe& out_;
  ir::Assign assign_;
  std::optional<ir::Decisions> decisions_;
  bool in_config_ = false;
  bool valid_ = true;
};

}  // namespace

void read_checkpoint(const Context& context, ir::Recipe& out) { CheckpointReader(context, out).read(); }

}  // namespace sparsecfg::dialect::modelopt
