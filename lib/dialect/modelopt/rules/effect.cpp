#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "architecture/family.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/exported.h"
#include "dialect/modelopt/read.h"
#include "model/model_names.h"

// The effect of a list on a model (docs/semantics/modelopt.md#c5).
namespace sparsecfg::dialect::modelopt {

using architecture::PackedLayer;

DIAGNOSTIC(MO320, no_weight_is_quantized, silent_warning, (), "no weight of the model is quantized",
           "The list turns on quantizers for weights, but its patterns match none in this model. ModelOpt calibrates "
           "without an error and exports an unquantized model; releases after 0.47 stop.",
           "select the layers of this model, for example with `*mlp*weight_quantizer`")
DIAGNOSTIC(MO321, unusual_layer_is_quantized, silent_warning, (Text, Text), "{} `{}` is quantized",
           "The presets turn off quantizers of heads, routers, embeddings and vision towers: they are sensitive, and "
           "runtimes expect them unquantized.",
           "append the default disables, or `{{quantizer_name: \"*{1}*\", enable: false}}`")
DIAGNOSTIC(MO322, half_of_experts, silent_warning, (Text, Text), "of the experts `{}`, only {} is quantized",
           "Fused experts have one weight for gate and up. The export writes the other projection as 16 bits, but does "
           "not name it in `exclude_modules`.",
           "select `*experts*weight_quantizer*`")
DIAGNOSTIC(MO332, experts_have_other_class, silent_warning, (Text, Text),
           "`parent_class: {}` leaves out the experts `{}`",
           "Fused experts are one module with the weights of all experts, and no linear layer. An entry with a "
           "`parent_class` applies only to quantizers in modules of this class, so the experts stay unquantized.",
           "delete `parent_class`")
DIAGNOSTIC(
    MO323, unpacked_layer, silent_warning, (Text, Text), "`{}` of class {} is quantized, but not packed",
    "The export packs only linear layers. Weights of convolutions are written in 16 bits, and the layers are not "
    "named in `exclude_modules`.",
    "append `{{quantizer_name: \"*\", parent_class: nn.{1}, enable: false}}`")
DIAGNOSTIC(
    MO324, fused_layers_differ, warning, (Text, Text), "the parts of `{}` have different formats: {}",
    "Runtimes fuse these layers into one. vLLM stops with a ValueError, and TensorRT-LLM rejects the checkpoint.",
    "give all parts the same format")
DIAGNOSTIC(MO325, cache_formats_differ, error, (Text), "the export stops: the attention cache has the formats {}",
           "`export_hf_checkpoint` supports one format of the attention cache for the whole model.",
           "give `*[kv]_bmm_quantizer` one format")
DIAGNOSTIC(MO326, half_of_cache, silent_warning, (Text), "only {} of the attention cache are quantized",
           "The exported file names one format for keys and values. The other half has no scales.",
           "select both: `*[kv]_bmm_quantizer`")
DIAGNOSTIC(
    MO327, integer_cache, warning, (Text), "the export does not support a cache of {}",
    "`export_hf_checkpoint` supports e4m3 and NVFP4 for the attention cache, and stops with an AssertionError for "
    "others. Quantizers of the cache are on with 8-bit integers unless an entry turns them off.",
    "turn it off: `{{quantizer_name: \"*_bmm_quantizer\", enable: false}}`")
DIAGNOSTIC(MO328, block_does_not_divide, warning, (Text, Text), "blocks of {} do not divide the inputs of `{}`",
           "The export stops, or pads the rows silently.", "choose a size that divides the inputs of all layers")
DIAGNOSTIC(
    MO329, several_formats, silent_warning, (Text), "the export writes MIXED_PRECISION: {}",
    "A file with several formats lists each layer, has no `exclude_modules`, and is supported by fewer runtimes. "
    "Different group sizes count as different formats.",
    "give all layers one format, or turn off the quantizers of the others")
DIAGNOSTIC(
    MO333, scale_for_each_input, silent_warning, (std::int64_t),
    "`axis: {}` gives each column of a linear weight its own scale, not each row",
    "`axis` names the axis that is kept. A linear weight has the shape [outputs, inputs], so axis 0 gives each output "
    "channel its own scale. The export and the kernels of runtimes read scales of outputs only: other scales count as "
    "one scale for the tensor.",
    "write `axis: 0`")
DIAGNOSTIC(
    MO331, tied_layer_is_quantized, silent_warning, (Text, Text), "`{}` is quantized, but `{}` has the same weight",
    "The head of this model shares its weight with the embedding. The export writes one tensor, so one of the two "
    "layers loads the packed numbers of the other.",
    "append `{{quantizer_name: \"*lm_head*\", enable: false}}` and the same for the embedding")
DIAGNOSTIC(MO330, format_without_runtime, silent_warning, (Text), "no runtime loads the exported format {}",
           "vLLM, SGLang and TensorRT-LLM reject a checkpoint with this format.", "use a format such as FP8 or NVFP4")

namespace {

class EffectChecks {
 public:
  EffectChecks(const Context& context, const Config& config, const Applied& applied)
      : context_(context),
        config_(config),
        applied_(applied),
        export_(export_of(applied.modules, applied.quantized, config.entries)),
        undone_(undone_entries(config, applied)),
        matched_(matched_entries(applied.quantized, config.entries.size())) {}

  void run() {
    if (!quantizes_weights()) {
      if (requests_weights()) report_no_weights();
      check_cache();
      return;
    }
    for (const QuantizedModule& module : applied_.quantized) check_module(module);
    check_experts();
    for (const Entry& entry : config_.entries) check_class(entry);
    check_fused();
    check_cache();
    check_algo();
  }

 private:
  [[nodiscard]] const std::string& name_of(const QuantizedModule& module) const {
    return applied_.modules[module.index].name;
  }

  [[nodiscard]] bool quantizes_weights() const {
    return std::ranges::any_of(applied_.quantized, [](const QuantizedModule& module) {
      const Quantizer* weight = module.find(Tensor::weights);
      return weight != nullptr && weight->is_on();
    });
  }

  void report_no_weights() {
    auto& report = context_.sink.report(diag::no_weight_is_quantized, request_);
    report.not_beside(diag::default_is_not_first);
    if (advise_on_class(report) || advise_on_sibling(report)) return;
    const std::vector<std::string_view> layers = last_names();
    if (layers.empty()) return;
    report.with_help(
        fmt::format("the layers of this model are `{}`: select one of them, such as with `*{}*weight_quantizer`",
                    fmt::join(layers, "`, `"), layers.front()));
  }

  // Advises to write the class of most layers, if the entries select layers of another one. Returns false if they
  // select by name only.
  bool advise_on_class(diag::Diagnostic& report) const {
    std::map<std::string_view, std::size_t> classes;
    for (const QuantizedModule& module : applied_.quantized) {
      if (module.find(Tensor::weights) != nullptr) ++classes[module.key];
    }
    if (classes.empty()) return false;
    const auto common = std::ranges::max_element(classes, {}, [](const auto& each) { return each.second; });
    std::vector<source::Span> places;
    for (const Entry& entry : config_.entries) {
      const bool other = entry.enable && !entry.imported && !entry.parent_span.empty() && entry.parent != common->first;
      if (other) places.push_back(entry.parent_span);
    }
    if (places.empty()) return false;
    report.span = places.front();
    for (const source::Span place : std::span(places).subspan(1)) report.with_label(place, "also here");
    report.with_help(fmt::format("write `{}`, the class of {} layers of this model", common->first, common->second));
    return true;
  }

  // Advises on the constant with the same formats for models of this kind, if a script passes one for another kind.
  bool advise_on_sibling(diag::Diagnostic& report) const {
    const Constant* own = constant_at(context_.file, request_);
    const std::string_view sibling = own == nullptr ? "" : sibling_for_model(config_, applied_, own->name);
    if (sibling.empty()) return false;
    const std::string code = fmt::format("mtq.{}", sibling);
    report.with_caret("its patterns are for other models")
        .with_help(fmt::format("write {}, which has the same formats and matches this model",
                               shown_code(python::imported_names(context_.file), code)));
    return true;
  }

  // Returns the last parts of the names of modules with weights, each once and at most six, without output heads.
  [[nodiscard]] std::vector<std::string_view> last_names() const {
    constexpr std::size_t kMost = 6;
    std::vector<std::string_view> out;
    for (const QuantizedModule& module : applied_.quantized) {
      const std::string_view name = base::last_part(name_of(module));
      const bool repeated = name_of(module).find_first_of("0123456789") != std::string::npos;
      if (!repeated || module.find(Tensor::weights) == nullptr || base::contains(out, name)) continue;
      out.push_back(name);
      if (out.size() == kMost) break;
    }
    return out;
  }

  // Returns true if an entry of the recipe turns on quantizers of weights. An entry that matches nothing is left out,
  // because another rule reports it.
  bool requests_weights() {
    for (std::size_t at = 0; at < config_.entries.size(); ++at) {
      const Entry& entry = config_.entries[at];
      if (!matched_[at] && !entry.imported && !entry.unknown) continue;
      const bool weights =
          entry.pattern.find("weight") != std::string::npos || entry.pattern.find("quantizer") == std::string::npos;
      if (!entry.enable || !weights || entry.pattern == "cfg") continue;
      request_ = entry.span;
      return true;
    }
    return false;
  }

  [[nodiscard]] source::Span decider(const Quantizer& quantizer) const {
    return quantizer.matched.empty() ? config_.place : config_.entries[quantizer.matched.back()].span;
  }

  void check_module(const QuantizedModule& module) {
    const Quantizer* weight = module.find(Tensor::weights);
    if (weight == nullptr || !weight->is_on()) return;
    const std::string& name = name_of(module);
    const std::string_view type = applied_.modules[module.index].type;
    const auto kind = unusual(name, type);
    if (const std::string other = other_with_weight(name, type); kind && !other.empty()) {
      if (!tied_) context_.sink.report(diag::tied_layer_is_quantized, decider(*weight), name, other);
      tied_ = true;
    } else if (kind) {
      report_unusual(*weight, std::string(kind->first), kind->second);
    } else if (type.starts_with("Conv") && type != "Conv1D") {
      report_once(diag::unpacked_layer, decider(*weight), name, std::string(type));
    }
    check_axis(module, *weight);
    check_width(module, *weight);
  }

  void check_axis(const QuantizedModule& module, const Quantizer& weight) {
    const Attributes attributes = attributes_of(module, weight, weight.steps.front(), config_.entries);
    const bool columns = attributes.axis == 1 || attributes.axis == -1;
    if (module.key != "nn.Linear" || !columns || attributes.blocks || attributes.axis_span.empty()) return;
    if (!axes_.insert(attributes.axis_span).second) return;
    context_.sink.report(diag::scale_for_each_input, attributes.axis_span, *attributes.axis)
        .with_help("write `0`: one scale for each output channel")
        .with_fix(diag::Fix::unsafe().replace(attributes.axis_span, "0"));
  }

  // Returns the layer that shares its weight with the head or the embedding; empty if none does. The parameters of a
  // model do not repeat a tied weight.
  [[nodiscard]] std::string other_with_weight(std::string_view name, std::string_view type) const {
    const model::ModelNames* parameters = context_.options.parameters;
    const auto head = std::ranges::find(applied_.modules, "lm_head", &model::Module::name);
    const auto embedding = std::ranges::find(applied_.modules, "Embedding", &model::Module::type);
    const bool tied = parameters != nullptr && head != applied_.modules.end() && embedding != applied_.modules.end() &&
                      !parameters->knows("lm_head.weight") && parameters->knows(embedding->name + ".weight");
    if (!tied) return {};
    return name == "lm_head" ? embedding->name : type == "Embedding" ? std::string("lm_head") : std::string();
  }

  // Returns the kind of a layer that the presets leave unquantized, and the part of its name to turn off.
  static std::optional<std::pair<std::string_view, std::string>> unusual(std::string_view name, std::string_view type) {
    static constexpr std::string_view kTowers[] = {"vision_tower", "visual", "vision_model", "embed_vision",
                                                   "multi_modal_projector"};
    const std::string_view last = base::last_part(name);
    if (last == "lm_head" || last == "output_layer") return std::pair("the head", std::string(last));
    if (type == "Embedding") return std::pair("the embedding", std::string(last));
    if (last == "router" || last == "gate" || last == "shared_expert_gate") {
      return std::pair("the router", last == "gate" ? std::string("mlp.gate.") : std::string(last));
    }
    for (const std::string_view tower : kTowers) {
      if (name.find(tower) != std::string_view::npos) return std::pair("the vision tower", std::string(tower));
    }
    return std::nullopt;
  }

  // Returns the place of an entry that should turn off layers of a name but matches no quantizer; empty: none.
  [[nodiscard]] source::Span idle_disable(const std::string& name) const {
    for (std::size_t at = 0; at < config_.entries.size(); ++at) {
      const Entry& entry = config_.entries[at];
      if (!matched_[at] && !entry.enable && entry.pattern.find(name) != std::string::npos) return entry.span;
    }
    return {};
  }

  // Returns the first entry that the deciding one undoes, at which MO311 reports all of them; empty: none.
  [[nodiscard]] source::Span undone(const Quantizer& quantizer) const {
    const auto found =
        std::ranges::find(undone_, quantizer.matched.empty() ? std::nullopt : std::optional(quantizer.matched.back()));
    const bool own = found != undone_.end() && std::ranges::any_of(quantizer.matched, [&](std::uint32_t at) {
                       return undone_[at] == quantizer.matched.back();
                     });
    return own ? config_.entries[static_cast<std::size_t>(found - undone_.begin())].span : source::Span();
  }

  void report_unusual(const Quantizer& weight, const std::string& kind, const std::string& name) {
    const source::Span place = decider(weight);
    if (!reported_.insert({place, kind + name}).second) return;
    const source::Span cause = undone(weight);
    context_.sink.report(diag::unusual_layer_is_quantized, place, kind, name)
        .with_cause(is_inserted(weight) ? place_of_inserted()
                    : cause.empty()     ? idle_disable(name)
                                        : cause);
  }

  // Returns true for a quantizer that no entry matches, which MO312 reports at the first entry.
  static bool is_inserted(const Quantizer& quantizer) { return quantizer.is_on() && quantizer.matched.empty(); }

  [[nodiscard]] source::Span place_of_inserted() const {
    return config_.entries.empty() ? source::Span() : config_.entries.front().span;
  }

  [[nodiscard]] bool has_inserted_weights() const {
    return std::ranges::any_of(applied_.quantized, [](const QuantizedModule& module) {
      const Quantizer* weight = module.find(Tensor::weights);
      return weight != nullptr && is_inserted(*weight);
    });
  }

  // One report for each entry and kind.
  void report_once(const diag::Def<diag::Text, diag::Text>& def, source::Span span, const std::string& first,
                   const std::string& second) {
    const std::string kind = &def == &diag::unpacked_layer ? second : first + second;
    if (reported_.insert({span, kind}).second) context_.sink.report(def, span, first, second);
  }

  void check_width(const QuantizedModule& module, const Quantizer& weight) {
    const auto& shape = applied_.modules[module.index].shape;
    const Attributes attributes = attributes_of(module, weight, weight.steps.front(), config_.entries);
    const auto size = attributes.blocks ? attributes.blocks->last() : std::nullopt;
    if (!size || *size <= 0 || !shape || shape->size() != 2) return;
    if (shape->back() % static_cast<std::uint64_t>(*size) == 0) return;
    const source::Span place = attributes.blocks->span.empty() ? decider(weight) : attributes.blocks->span;
    if (!widths_.insert(place).second) return;
    auto& report = context_.sink.report(diag::block_does_not_divide, place, fmt::format("{}", *size), name_of(module));
    report.with_caret(fmt::format("{} inputs", shape->back()));
    const std::int64_t fitting = fitting_block(*size);
    if (fitting > 0) report.with_help(fmt::format("write `-1: {}`, which divides the inputs of all layers", fitting));
  }

  // Returns the largest usual size of blocks up to a size that divides the inputs of all layers; 0 if there is none.
  [[nodiscard]] std::int64_t fitting_block(std::int64_t size) const {
    for (const std::int64_t each : {128, 64, 32, 16}) {
      const auto divides = [&](const QuantizedModule& module) {
        const auto& shape = applied_.modules[module.index].shape;
        return !shape || shape->size() != 2 || shape->back() % static_cast<std::uint64_t>(each) == 0;
      };
      if (each <= std::max<std::int64_t>(size, 16) && std::ranges::all_of(applied_.quantized, divides)) return each;
    }
    return 0;
  }

  void check_experts() {
    for (std::size_t at = 0; at + 1 < applied_.quantized.size(); ++at) {
      const QuantizedModule& one = applied_.quantized[at];
      const QuantizedModule& other = applied_.quantized[at + 1];
      if (!one.key.starts_with("hf.") || one.key != other.key || other.index != one.index + 1) continue;
      const Quantizer* first = one.find(Tensor::weights);
      const Quantizer* second = other.find(Tensor::weights);
      if (first->is_on() == second->is_on()) continue;
      const QuantizedModule& on = first->is_on() ? one : other;
      const std::string container = name_of(on).substr(0, name_of(on).rfind('.'));
      const Entry* narrower = later_of(first->is_on() ? *second : *first, first->is_on() ? *first : *second);
      const source::Span span = narrower != nullptr ? narrower->span : decider(first->is_on() ? *first : *second);
      if (!reported_.insert({span, "experts"}).second) continue;
      auto& report = context_.sink.report(diag::half_of_experts, span, container,
                                          fmt::format("`{}`", base::last_part(name_of(on))));
      if (narrower != nullptr) report.with_help(help_for_disable(*narrower, name_of(first->is_on() ? other : one)));
    }
  }

  // Reports an entry that would quantize experts if it had no class.
  void check_class(const Entry& entry) {
    if (!entry.enable || entry.parent.empty() || entry.imported || entry.parent_span.empty()) return;
    const auto pattern = compiled_glob(entry.pattern);
    if (!pattern) return;
    const auto left_out = std::ranges::find_if(applied_.quantized, [&](const QuantizedModule& module) {
      const Quantizer* weight = module.find(Tensor::weights);
      return module.key.starts_with("hf.") && weight != nullptr && !weight->is_on() &&
             pattern->match(without_number(weight->name)) == regex::Match::yes;
    });
    if (left_out == applied_.quantized.end() || !reported_.insert({entry.parent_span, "class"}).second) return;
    const std::string& name = name_of(*left_out);
    auto& report = context_.sink.report(diag::experts_have_other_class, entry.parent_span, entry.parent,
                                        name.substr(0, name.rfind('.')));
    for (const Entry& other : config_.entries) {
      const bool again = other.enable && other.parent == entry.parent && other.parent_span != entry.parent_span;
      if (again && reported_.insert({other.parent_span, "class"}).second)
        report.with_label(other.parent_span, "also here");
    }
    report.with_help(
        "delete `parent_class`, and append "
        "`{quantizer_name: \"*\", parent_class: nn.Embedding, enable: false}`");
  }

  // Returns the entry that turns off a quantizer after the entry that turns on another one; null if there is none.
  [[nodiscard]] const Entry* later_of(const Quantizer& off, const Quantizer& on) const {
    if (off.matched.empty() || on.matched.empty() || off.matched.back() <= on.matched.back()) return nullptr;
    return &config_.entries[off.matched.back()];
  }

  // Returns the help line for an entry such as `*gate*` that also turns off a part of the experts.
  [[nodiscard]] std::string help_for_disable(const Entry& entry, std::string_view part) const {
    std::string_view word = entry.pattern;
    while (word.starts_with('*')) word.remove_prefix(1);
    while (word.ends_with('*')) word.remove_suffix(1);
    const auto is_other = [&](const QuantizedModule& each) {
      return base::last_part(name_of(each)) != base::last_part(part);
    };
    const bool named = std::ranges::any_of(applied_.quantized, [&](const QuantizedModule& each) {
      return is_other(each) && base::last_part(name_of(each)) == word;
    });
    if (named) return fmt::format("write `*.{}.*`, which does not match `{}`", word, base::last_part(part));
    const bool needed = std::ranges::any_of(applied_.quantized, [&](const QuantizedModule& each) {
      const Quantizer* weight = each.find(Tensor::weights);
      const bool decides =
          weight != nullptr && !weight->matched.empty() && &config_.entries[weight->matched.back()] == &entry;
      return is_other(each) && decides;
    });
    return fmt::format("{} `{}`, which turns off {}`{}`", needed ? "narrow" : "delete", entry.pattern,
                       needed ? "" : "only ", base::last_part(part));
  }

  void check_fused() {
    std::map<std::string, const Export::Layer*> layers;
    for (const Export::Layer& layer : export_.layers) layers[layer.name] = &layer;
    for (const Export::Layer& layer : export_.layers) {
      for (const PackedLayer& fused : architecture::usual_packed_layers()) {
        if (base::last_part(layer.name) != fused.parts.front()) continue;
        compare_parts(layer, fused, layers);
      }
    }
  }

  void compare_parts(const Export::Layer& layer, const PackedLayer& fused,
                     const std::map<std::string, const Export::Layer*>& layers) {
    const std::string prefix = layer.name.substr(0, layer.name.size() - fused.parts.front().size());
    std::vector<std::string> texts;
    bool differ = false;
    for (const std::string& part : fused.parts) {
      const auto found = layers.find(prefix + part);
      if (found == layers.end()) continue;
      differ = differ || !(found->second->format == layer.format);
      const bool off = found->second->format.algo == Algo::none;
      texts.push_back(fmt::format("{} {}", part, off ? "16 bits" : modelopt::name_of(found->second->format.algo)));
    }
    if (!differ || !families_.insert(family_of(prefix) + fused.name).second) return;
    const source::Span place = decider_of(prefix, fused);
    auto& report = context_.sink.report(diag::fused_layers_differ, place, prefix + fused.name, base::join_and(texts));
    const auto entry = std::ranges::find(config_.entries, place, &Entry::span);
    if (entry != config_.entries.end()) advise_on_parts(report, *entry, fused);
  }

  // Advises to write an entry for one part for all parts: `[qkv]_proj` for single letters, or else a copy of the entry.
  void advise_on_parts(diag::Diagnostic& report, const Entry& entry, const PackedLayer& fused) const {
    const auto part = std::ranges::find_if(
        fused.parts, [&](const std::string& each) { return entry.pattern.find(each) != std::string::npos; });
    if (part == fused.parts.end()) return;
    const std::size_t at = entry.pattern.find(*part);
    if (fused.name == "qkv_proj") {
      const std::string meant = std::string(entry.pattern).replace(at, part->size(), "[qkv]_proj");
      report.with_help(fmt::format("write `{}`, also in the other entries for `{}`", meant, *part));
      diag::Fix fix = diag::Fix::unsafe();
      for (const Entry& each : config_.entries) {
        const std::size_t found = each.pattern.find(*part);
        if (found == std::string::npos || each.imported) continue;
        fix.content(each.span, std::string(each.pattern).replace(found, part->size(), "[qkv]_proj"));
      }
      report.with_fix(std::move(fix));
      return;
    }
    const std::string_view other = fused.parts[part == fused.parts.begin() ? 1 : 0];
    report.with_help(fmt::format("repeat each entry for `{}` with `{}`", *part, other));
  }

  // Returns the place of the last entry that decides about a part.
  [[nodiscard]] source::Span decider_of(const std::string& prefix, const PackedLayer& fused) const {
    std::optional<std::uint32_t> last;
    for (const QuantizedModule& module : applied_.quantized) {
      const bool part =
          std::ranges::any_of(fused.parts, [&](const std::string& each) { return name_of(module) == prefix + each; });
      const Quantizer* weight = part ? module.find(Tensor::weights) : nullptr;
      if (weight != nullptr && !weight->matched.empty()) last = std::max(last.value_or(0), weight->matched.back());
    }
    return last ? config_.entries[*last].span : config_.place;
  }

  void check_cache() {
    std::vector<std::string> formats;
    for (const std::string& each : export_.caches) formats.push_back(fmt::format("{}", each));
    const source::Span span = cache_place();
    if (formats.size() > 1) {
      context_.sink.report(diag::cache_formats_differ, span, base::join_and(formats));
    } else if (!formats.empty() && (formats.front() == "INT8" || formats.front() == "unknown") && chosen_) {
      context_.sink.report(diag::integer_cache, span, formats.front() == "INT8" ? "8-bit integers" : "this format");
    }
    for (const QuantizedModule& module : applied_.quantized) {
      const Quantizer* keys = module.find(Tensor::keys);
      const Quantizer* values = module.find(Tensor::values);
      if (keys == nullptr || values == nullptr || keys->is_on() == values->is_on()) continue;
      context_.sink.report(diag::half_of_cache, decider(keys->is_on() ? *keys : *values),
                           std::string(keys->is_on() ? "the keys" : "the values"));
      return;
    }
  }

  // Returns the place of the entry that turns the cache on. `chosen_`: an entry does so, not the insertion.
  source::Span cache_place() {
    for (const QuantizedModule& module : applied_.quantized) {
      for (const Tensor tensor : {Tensor::keys, Tensor::values, Tensor::outputs}) {
        const Quantizer* quantizer = module.find(tensor);
        if (quantizer == nullptr || !quantizer->is_on() || quantizer->matched.empty()) continue;
        chosen_ = true;
        return decider(*quantizer);
      }
    }
    return config_.place;
  }

  void check_algo() {
    if (export_.algo == Algo::mixed) {
      report_mixed();
    } else if (export_.algo != Algo::error && export_.algo != Algo::none) {
      check_runtimes();
    } else if (export_.algo == Algo::error) {
      report_failure();
    }
  }

  [[nodiscard]] bool is_loaded_by(const Runtime& runtime) const {
    return std::ranges::find(runtime.accepts, export_.algo) != runtime.accepts.end();
  }

  // Reports a format that the runtime of the option would load if the algorithm did not scale its weights. Fused
  // experts are not scaled. Returns true if it is reported.
  bool report_scaled() {
    const std::string_view name = modelopt::name_of(export_.algo, method_of(config_.algorithm));
    const Runtime* selected = selected_runtime(context_.options);
    const bool experts = std::ranges::any_of(
        applied_.quantized, [](const QuantizedModule& module) { return module.key.starts_with("hf."); });
    if (selected == nullptr || experts || !rejects_name(*selected, name)) return false;
    const source::Span place = config_.algorithm.span.empty() ? weight_place() : config_.algorithm.span;
    context_.sink
        .report(diag::format_is_not_loaded, place, fmt::format("{} does not load", selected->name), std::string(name))
        .with_severity(diag::Severity::error)
        .with_help(context_.is_script()
                       ? fmt::format("write `\"algorithm\": \"max\"`, or use a preset with it, such as {}",
                                     shown_code(python::imported_names(context_.file), "mtq.NVFP4_DEFAULT_CFG"))
                       : "write `algorithm: max`, which exports NVFP4");
    return true;
  }

  // Advises on the preset with the same bits that a runtime loads, or on all formats that it loads.
  [[nodiscard]] std::string help_for_format(const Runtime& runtime) const {
    const std::string_view sibling = sibling_for_runtime(config_, applied_, runtime);
    if (const std::string preset = shown_preset(context_, sibling); !preset.empty())
      return fmt::format("write {}, a format with the same bits that {} loads", preset, runtime.name);
    std::vector<std::string> loaded;
    for (const Algo algo : runtime.accepts) loaded.emplace_back(modelopt::name_of(algo));
    return fmt::format("use one of the formats that it loads, {}", base::join_and(loaded));
  }

  // Reports a format that no runtime loads, or not the one of the option.
  void check_runtimes() {
    const std::string format(modelopt::name_of(export_.algo));
    if (report_scaled()) return;
    if (std::ranges::none_of(runtimes(), [&](const Runtime& each) { return is_loaded_by(each); })) {
      context_.sink.report(diag::format_without_runtime, weight_place(), format);
      return;
    }
    const Runtime* selected = selected_runtime(context_.options);
    if (selected == nullptr || is_loaded_by(*selected)) return;
    context_.sink
        .report(diag::format_is_not_loaded, weight_place(), fmt::format("{} does not load", selected->name), format)
        .with_severity(diag::Severity::error)
        .not_beside(diag::attributes_return_to_defaults)
        .with_help(fmt::format("{}{}", help_for_format(*selected),
                               export_.algo == Algo::int8
                                   ? "; for 8-bit integers, quantize with llm-compressor: `SmoothQuantModifier` before "
                                     "`GPTQModifier(targets=\"Linear\", scheme=\"W8A8\", ignore=[\"lm_head\"])`"
                                   : ""));
  }

  // Entries with formats of different kinds are written for a mixture. Different group sizes may be an oversight.
  void report_mixed() {
    std::map<std::string, std::size_t> counts;
    std::set<Algo> algos;
    for (const Export::Layer& layer : export_.layers) {
      if (layer.format.algo == Algo::none) continue;
      algos.insert(layer.format.algo);
      const std::string group = layer.format.group ? fmt::format(" with groups of {}", *layer.format.group) : "";
      ++counts[std::string(modelopt::name_of(layer.format.algo)) + group];
    }
    std::vector<std::string> texts;
    for (const auto& [format, count] : counts) texts.push_back(fmt::format("{} ({})", format, count));
    context_.sink.report(diag::several_formats, weight_place(), base::join_and(texts))
        .with_severity(algos.size() > 1 ? diag::Severity::info : diag::Severity::warning)
        .not_beside(diag::fused_layers_differ)
        .with_cause(has_inserted_weights() ? place_of_inserted() : source::Span());
  }

  void report_failure() {
    for (const QuantizedModule& module : applied_.quantized) {
      if (!module.has_weight) continue;
      const ModuleFormat format = format_of_module(module, config_.entries);
      if (format.algo != Algo::error) continue;
      const Quantizer& weight = *module.find(Tensor::weights);
      const Attributes attributes = attributes_of(module, weight, weight.steps.front(), config_.entries);
      auto& report = report_unsupported(context_.sink, attributes, decider(weight), format.error)
                         .with_caret(fmt::format("for `{}`", name_of(module)));
      if (is_fused_integer(module, config_.entries)) {  // the configuration is accepted; it may never be exported
        report.with_severity(diag::Severity::warning)
            .with_help(
                fmt::format("append `{{\"quantizer_name\": \"*.experts.*\", \"enable\": False}}`, or use NVFP4 or "
                            "FP8, such as {}",
                            shown_code(python::imported_names(context_.file), "mtq.NVFP4_DEFAULT_CFG")));
      }
      return;
    }
  }

  [[nodiscard]] source::Span weight_place() const {
    for (const QuantizedModule& module : applied_.quantized) {
      const Quantizer* weight = module.find(Tensor::weights);
      if (weight != nullptr && weight->is_on()) return decider(*weight);
    }
    return config_.place;
  }

  const Context& context_;
  const Config& config_;
  const Applied& applied_;
  Export export_;
  source::Span request_;
  bool chosen_ = false;
  bool tied_ = false;  // true after a report about a shared weight
  std::set<std::pair<source::Span, std::string>> reported_;
  std::vector<std::optional<std::uint32_t>> undone_;  // by entry: the one that undoes it
  std::vector<bool> matched_;                         // by entry: true if it matches a quantizer
  std::set<source::Span> widths_;
  std::set<source::Span> axes_;
  std::set<std::string> families_;
};

}  // namespace

void check_effect(const Context& context, const Config& config, const Applied& applied) {
  EffectChecks(context, config, applied).run();
}

}  // namespace sparsecfg::dialect::modelopt
