#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/budget.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/checkpoint.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/runtime_names.h"
#include "dialect/runtime_option.h"
#include "dialect/weights_beside.h"
#include "model/model_names.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"
#include "source/load.h"

// The lists of a checkpoint, compared with runtimes, its model, tensors and second file
// (docs/semantics/modelopt.md#g1).
namespace sparsecfg::dialect::modelopt {

using source::Value;

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
DIAGNOSTIC(
    MO606, missing_checkpoint_key, error, (Text), "`quantization` has no `{}`, which vLLM requires for NVFP4",
    "vLLM reads `group_size`, `kv_cache_quant_algo` and `exclude_modules` of an NVFP4 checkpoint, and stops with a "
    "ValueError if one of them is missing or null.",
    "add `\"{0}\"`")

DIAGNOSTIC(MO605, files_disagree, silent_warning, (Text), "`hf_quant_config.json` has another {}",
           "vLLM uses `hf_quant_config.json` only if `config.json` has no quantization_config. TensorRT-LLM prefers "
           "`hf_quant_config.json`. The layers are then read in different formats.",
           "export the model again")
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

namespace {

class CheckpointChecks {
 public:
  explicit CheckpointChecks(const Checkpoint& checkpoint)
      : checkpoint_(checkpoint), context_(checkpoint.context), config_(checkpoint.config), assign_(checkpoint.assign) {}

  void run() {
    check_substrings();
    check_group();
    check_required();
    check_other_file();
    check_tensors();
    check_shards();
    check_fused();
    check_wildcards();
  }

 private:
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
    const auto size = group_of_groups(config_);
    const bool first_level = group_in(config_).has_value();
    if (!checkpoint_.in_config || !size || *size == 16 || first_level || has_other_file()) return;
    context_.sink.report(diag::group_size_is_ignored, config_.find("config_groups")->span, fmt::format("{}", *size));
  }

  void check_required() {
    const Value* name = config_.find("quant_algo");
    const auto* algo = name == nullptr ? nullptr : name->get<std::string>();
    if (checkpoint_.in_config || algo == nullptr || base::to_upper(*algo) != "NVFP4") return;
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
    if (!decisions_) decisions_ = assign_.selection.language->decide(assign_.selection, assign_.schemes, modules);
    return *decisions_;
  }

  // Reports the first layer whose groups a runtime would split.
  void check_shards() {
    const std::uint64_t gpus = gpus_of(context_.options);
    if (gpus <= 1 || context_.options.modules == nullptr || !checkpoint_.valid || assign_.schemes.empty()) return;
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

  // Reports the first layer of vLLM whose parts have different formats, and counts the others.
  void check_fused() {
    if (context_.options.modules == nullptr || !checkpoint_.valid || assign_.schemes.empty()) return;
    const std::vector<model::Module>& modules = *context_.options.modules;
    const ir::Decisions& decisions = decide(modules);
    if (!decisions.complete) return;
    std::map<std::string_view, const ir::Decisions::Decision*> by_name;
    for (std::size_t at = 0; at < modules.size(); ++at) {
      by_name[modules[at].name] = &decisions.entries[decisions.of_modules[at]];
    }
    std::vector<Split> splits;
    for (const model::Module& layer : quantizers::fused_layers(modules, {.head = false, .experts = false})) {
      Split split = split_of(layer.name, by_name);
      if (split.parts.size() > 1) splits.push_back(std::move(split));
    }
    if (!splits.empty()) report_split(splits);
  }

  // A layer of a runtime, and the last parts of the names that it joins by their format: an index of `algos`, or the
  // number of formats for unquantized ones.
  struct Split {
    std::string layer;
    std::map<std::size_t, std::vector<std::string>> parts;
    source::Span place;  // of the entry that decides the part with the last format
  };

  Split split_of(const std::string& layer,
                 const std::map<std::string_view, const ir::Decisions::Decision*>& by_name) const {
    Split out{layer, {}, {}};
    for (const std::string& part : quantizers::parts_of(layer)) {
      const auto found = by_name.find(part);
      if (found == by_name.end()) continue;
      const ir::Decisions::Decision& decision = *found->second;
      const bool quantized = decision.kind == ir::Rule::Kind::assigns;
      const std::size_t format = quantized ? decision.scheme : checkpoint_.algos.size();
      const bool is_last = out.parts.empty() || format >= out.parts.rbegin()->first;
      if (decision.rule && (is_last || out.place.empty())) out.place = assign_.selection.rules[*decision.rule].span;
      out.parts[format].push_back(fmt::format("`{}`", base::last_part(part)));
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> quantized_parts(const Split& split) const {
    std::vector<std::string> out;
    for (const auto& [format, names] : split.parts) {
      if (format < checkpoint_.algos.size()) out.insert(out.end(), names.begin(), names.end());
    }
    return out;
  }

  void report_split(const std::vector<Split>& splits) {
    const Split& first = splits.front();
    const bool excluded = first.parts.contains(checkpoint_.algos.size());
    std::vector<std::string> texts;
    for (const auto& [format, names] : first.parts) {
      const bool quantized = format < checkpoint_.algos.size();
      texts.push_back(fmt::format("{} {} {}", base::join_and(names), names.size() == 1 ? "is" : "are",
                                  quantized ? checkpoint_.algos[format] : "unquantized"));
    }
    auto& report = context_.sink.report(diag::fused_layers_differ, first.place, first.layer, base::join_and(texts));
    if (selected_runtime(context_.options) != nullptr) report.with_severity(diag::Severity::error);
    const std::size_t more = splits.size() - 1;
    const std::string others = more == 0 ? "" : fmt::format(", also in {} more layer{}", more, more == 1 ? "" : "s");
    const std::string edit = excluded ? fmt::format("leave {} unquantized too", base::join_and(quantized_parts(first)))
                                      : fmt::format("quantize the parts of `{}` in one format", first.layer);
    report.with_help(fmt::format("{}{}, and export the model again", edit, others));
  }

  // Reports entries such as `model.visual*`, which old releases of vLLM do not rename.
  void check_wildcards() {
    const Value* architectures = checkpoint_.file.find("architectures");
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
    if (context_.options.modules != nullptr && checkpoint_.valid && !assign_.schemes.empty()) check_layers(stored);
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
    if (name.empty() || name == "-" || !checkpoint_.in_config) return std::nullopt;
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

  const Checkpoint& checkpoint_;
  const Context& context_;
  const Value& config_;
  const ir::Assign& assign_;
  std::optional<ir::Decisions> decisions_;
};

}  // namespace

void check_checkpoint(const Checkpoint& checkpoint) { CheckpointChecks(checkpoint).run(); }

}  // namespace sparsecfg::dialect::modelopt
