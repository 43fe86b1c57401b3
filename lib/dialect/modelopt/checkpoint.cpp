#include "dialect/modelopt/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/budget.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/quantization_config.h"
#include "dialect/quantizers/runtime.h"
#include "dialect/runtime_option.h"
#include "doc/construct.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"

// docs/semantics/modelopt.md#g1
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO601, format_is_not_loaded, silent_warning, (Text, Text), "{} the format `{}`",
           "Each runtime supports some of the formats that ModelOpt writes. vLLM and SGLang reject a checkpoint with "
           "another one. In a list of several formats, they silently leave such layers unquantized.",
           "use another runtime, or export the model in FP8 or NVFP4")
DIAGNOSTIC(MO602, mixed_without_layers, error, (), "`MIXED_PRECISION` requires `quantized_layers`",
           "vLLM stops with a ValueError, and TensorRT-LLM rejects the checkpoint.", "export the model again")
DIAGNOSTIC(MO612, format_without_kernel, error, (Text, Text, Text),
           "vLLM does not run `{0}` of ModelOpt on {1}, which has capability {2}",
           "vLLM requires compute capability 8.9 for 8-bit floats of ModelOpt, and stops on an older GPU.",
           "use a GPU of compute capability 8.9 or later, such as L4, L40S or H100")
DIAGNOSTIC(MO613, format_with_wider_inputs, warning, (Text, Text), "on {1}, vLLM runs `{0}` with 16-bit inputs",
           "Kernels for NVFP4 need compute capability 10.0. On an older GPU, vLLM keeps the weights quantized and "
           "multiplies in 16 bits. The model loads, but it is slower than on a newer GPU.",
           "use a GPU of compute capability 10.0 or later, such as B200")

DIAGNOSTIC(MO620, method_without_transformers, silent_error, (Text), "transformers does not know the method `{}`",
           "transformers ignores a method that it does not know, with one warning, and loads the packed weights into "
           "layers without quantization.",
           "load the checkpoint with vLLM, SGLang or TensorRT-LLM")
DIAGNOSTIC(MO621, excluded_is_null, error, (), "vLLM requires a list in `ignore`, not null",
           "vLLM stops with ValueError. Without the key, the list is empty.", "write `\"ignore\": []`")

bool is_checkpoint(const doc::Document& document) {
  const auto section = member(document, document.root, "quantization");
  if (section && member(document, *section, "quant_algo")) return true;
  const auto found = find_quantization(document);
  return found && !found->whole_file && owner_of(document, *found) == "modelopt";
}

std::optional<std::int64_t> group_in(const Value& config) {
  const Value* size = config.given("group_size");
  const auto* number = size == nullptr ? nullptr : size->get<std::int64_t>();
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::int64_t> group_of_groups(const Value& config) {
  const Value* groups = config.find("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  const Value* weights = map == nullptr || map->empty() ? nullptr : map->front().second.find("weights");
  return weights == nullptr ? std::nullopt : group_in(*weights);
}

bool is_linear(std::string_view type) {
  return type.ends_with("Linear") || type == "Conv1D" || (type.ends_with("Experts") && type != "Experts");
}

// --- selection --------------------------------------------------------------------------------------

namespace {

// Entries of single experts, for runtimes that fuse the experts of a block into one module.
class EntriesOfExperts {
 public:
  explicit EntriesOfExperts(const std::vector<ir::Rule>& rules) {
    for (std::uint32_t at = 0; at < rules.size(); ++at) {
      if (rules[at].kind == ir::Rule::Kind::assigns) names_.emplace_back(rules[at].entry, at);
    }
    std::ranges::sort(names_);
  }

  // Adds the rules whose entries name parts of a module to `found`.
  void find(const model::Module& module, std::vector<std::uint32_t>& found) const {
    if (!module.type.ends_with("Experts")) return;
    const std::string prefix = module.name + ".";
    const auto begin = std::ranges::lower_bound(names_, prefix, {}, &std::pair<std::string_view, std::uint32_t>::first);
    for (auto at = begin; at != names_.end() && at->first.starts_with(prefix); ++at) found.push_back(at->second);
  }

 private:
  std::vector<std::pair<std::string_view, std::uint32_t>> names_;
};

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
  const EntriesOfExperts of_experts(selection.rules);
  std::vector<std::uint32_t> found;
  std::map<std::optional<std::uint32_t>, std::uint32_t> numbers;  // of entries, by the rule that decides
  for (std::size_t at = 0; at < modules.size(); ++at) {
    if (!is_linear(modules[at].type)) continue;
    found.clear();
    out.complete = index.find(modules[at].name, budget, found) && out.complete;
    if (found.empty()) of_experts.find(modules[at], found);
    ir::Decisions::Decision decision;
    decision.reason = found.empty() ? ir::Decisions::Reason::by_default : ir::Decisions::Reason::rule;
    if (!found.empty()) {
      const std::uint32_t first = *std::ranges::min_element(found);
      decision.rule = first;
      for (const std::uint32_t other : found) {
        if (other != first) decision.overridden.push_back(other);
      }
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

bool has_eight_bits(std::optional<Algo> algo) {
  return algo == Algo::fp8 || algo == Algo::fp8_per_channel_per_token || algo == Algo::fp8_blocks;
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
    check_program();
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
    check_checkpoint({context_, whole_, config_, assign_, algos_, in_config_, valid_});
    finish();
  }

 private:
  // Returns the index of the scheme of a format; nullopt if the name is unknown.
  std::optional<std::uint32_t> scheme_number(const std::string& name, source::Span span,
                                             std::optional<std::int64_t> group) {
    const auto algo = algo_of(name);
    if (!algo) {
      if (const auto other = group_of_groups(config_); !other) out_.incomplete = true;
      context_.sink.report(diag::format_is_not_loaded, span, std::string("no runtime loads"), name);
      return std::nullopt;
    }
    const auto* standard = std::ranges::find(kStandards, *algo, &Standard::algo);
    ir::Scheme scheme = scheme_of_preset(standard->preset);
    if (const auto size = group ? group : group_of_groups(config_)) {
      set_group(scheme.weights, *size);
      set_group(scheme.inputs, *size);
    }
    const auto known = std::ranges::find(assign_.schemes, scheme);
    const auto number = static_cast<std::uint32_t>(known - assign_.schemes.begin());
    if (known == assign_.schemes.end()) {
      assign_.schemes.push_back(std::move(scheme));
      algos_.push_back(name);
    }
    return number;
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

  // Reports a format without kernels on the GPU of the option. For several formats, vLLM has one
  // limit, which depends on its version.
  void check_gpu(const std::string& name, source::Span span, bool one_of_several = false) {
    const auto gpu = gpu_of(context_.options);
    if (!gpu || quantizers::runtime_of(context_.options) != quantizers::Runtime::vllm) return;
    const auto algo = algo_of(name);
    const int capability = gpu->capability;
    if (has_eight_bits(algo) && capability < 89 && !one_of_several) {
      context_.sink.report(diag::format_without_kernel, span, name, gpu->title, capability_text(capability));
    } else if (algo == Algo::nvfp4 && capability < 100) {
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
      if (!scheme || !seen.insert(*algo).second) continue;
      check_mixed_format(*algo, format->span);
      check_gpu(*algo, format->span, true);
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

  // Reports a program that does not load the file at all.
  void check_program() {
    const std::string_view program = runtime_name(context_.options);
    const Value* method = config_.find("quant_method");
    const auto* name = method == nullptr ? nullptr : method->get<std::string>();
    if (program == "transformers" && name != nullptr) {
      context_.sink.report(diag::method_without_transformers, method->span, *name);
      valid_ = false;
    }
    const Value* list = in_config_ ? config_.find("ignore") : nullptr;
    if (program.starts_with("vllm") && list != nullptr && list->is_null()) {
      context_.sink.report(diag::excluded_is_null, list->span).with_fix(diag::Fix::safe().replace(list->span, "[]"));
    }
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
  std::vector<std::string> algos_;  // the names of the schemes
  bool in_config_ = false;
  bool valid_ = true;
};

}  // namespace

void read_checkpoint(const Context& context, ir::Recipe& out) { CheckpointReader(context, out).read(); }

}  // namespace sparsecfg::dialect::modelopt
