#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/text.h"
#include "dialect/foreign.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/presets.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/stages/coercion.h"

// What the modifiers of SparseML's stages become.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// Layers that SparseML takes where no target is given: those of the decoder.
constexpr std::string_view kDecoderLayers = "re:.*layers\\.\\d+$";

namespace {

class StageTranslator {
 public:
  StageTranslator(const ir::Action& action, bool quantized, ActionStatus& status, std::vector<std::string>& notes,
                  std::vector<std::string>& instructions, diag::Sink& sink)
      : action_(action),
        origin_(action.origin),
        quantized_(quantized),
        status_(status),
        notes_(notes),
        instructions_(instructions),
        sink_(sink) {}

  std::optional<Draft> run() {
    const std::string& name = origin_.class_name;
    draft_ = {name, origin_.stage, origin_.group};
    if (name == "SparseGPTModifier" || name == "WandaPruningModifier") {
      prune();
    } else if (name == "GPTQModifier") {
      return quantize_by_hessian();
    } else if (name == "QuantizationModifier") {
      quantize();
    } else if (name == "LegacyQuantizationModifier") {
      quantize_by_schemes();
    } else if (name == "SmoothQuantModifier" || name == "LogarithmicEqualizationModifier") {
      smooth();
    } else if (name == "MagnitudePruningModifier") {
      return magnitude();
    } else {
      report_training();
      return std::nullopt;
    }
    return std::move(draft_);
  }

 private:
  [[nodiscard]] const Value* given(std::string_view name) const {
    const ir::OriginField* field = origin_.find(name);
    return field == nullptr || field->value.is_null() ? nullptr : &field->value;
  }

  void keep(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (const Value* value = given(name)) draft_.set(name, *value);
    }
  }

  void note(const std::string& line) { notes_.push_back(fmt::format("{}: {}", origin_.class_name, line)); }

  void note_dropped(std::string_view field, std::string_view why) {
    if (given(field) != nullptr) note(fmt::format("`{}` is left out: {}", field, why));
  }

  // --- targets ---

  // A name of a parameter as that of its layer.
  static std::string layer_of(std::string text) {
    for (const std::string_view end : {"\\.weight$", ".weight$", "\\.weight", ".weight"}) {
      if (text.ends_with(end)) {
        text.resize(text.size() - end.size());
        return text.starts_with("re:") ? text + "$" : text;
      }
    }
    return text;
  }

  static std::vector<std::string> layers_of(const std::vector<std::string>& targets) {
    std::vector<std::string> out;
    for (const std::string& target : targets) {
      if (target.starts_with("__ALL")) {
        out.insert(out.end(), {"Linear", "Conv1d", "Conv2d", "Conv3d"});
      } else {
        out.push_back(layer_of(target));
      }
    }
    return out;
  }

  static std::vector<std::string> texts_of(const Value& value) {
    std::vector<std::string> out;
    if (const auto* text = value.get<std::string>()) out.push_back(*text);
    const auto* list = value.get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      if (const auto* text = (*list)[at].get<std::string>()) out.push_back(*text);
    }
    return out;
  }

  void set_targets() {
    const Value* targets = given("targets");
    if (targets == nullptr) {
      draft_.set("targets", list_value({std::string(kDecoderLayers)}));
      note("without `targets` SparseML takes all layers of the decoder; that is written out");
      return;
    }
    if (targets->get<std::string>() != nullptr) {
      note("`targets` is a list now: a text would be read letter by letter");
    }
    draft_.set("targets", list_value(layers_of(texts_of(*targets))));
  }

  // --- pruning ---

  void prune() {
    const Value* sparsity = given("sparsity");
    draft_.set("sparsity", sparsity == nullptr ? Value{0.0, {}} : *sparsity);
    keep({"mask_structure"});
    if (origin_.class_name == "SparseGPTModifier") {
      keep({"block_size", "dampening_frac", "preserve_sparsity_mask"});
    }
    set_targets();
    note_dropped("sequential_update", "layers are always done one after the other");
    if (given("sparsity_profile") != nullptr) {
      approximate(status_, action_, "`owl` fails in llm-compressor: every layer gets the same sparsity", sink_);
    }
  }

  std::optional<Draft> magnitude() {
    draft_.class_name = "SparseGPTModifier";
    const Value* last = given("final_sparsity");
    const Value* mask = given("mask_structure");
    const auto* structure = mask == nullptr ? nullptr : mask->get<std::string>();
    if (structure != nullptr && *structure != "unstructured") {
      drop(status_, action_, "llm-compressor", fmt::format("it can't remove weights by `{}` in one shot", *structure),
           sink_);
      return std::nullopt;
    }
    const auto number = last == nullptr ? std::nullopt : number_of(*last);
    if (!number || !(*number >= 0 && *number < 1)) {
      drop(status_, action_, "llm-compressor", "its final sparsity is no share of weights", sink_);
      return std::nullopt;
    }
    draft_.set("sparsity", {*number, {}});
    set_targets();
    approximate(status_, action_, "training becomes one shot of SparseGPT at the final sparsity", sink_);
    return std::move(draft_);
  }

  static std::optional<double> number_of(const Value& value) {
    const auto* text = value.get<std::string>();
    return text == nullptr ? value.number() : base::python_float(*text);
  }

  // --- quantization ---

  // SparseML's preset schemes have the same names; a mapping with arguments is one group.
  void set_scheme(const Value& scheme, const Value* targets) {
    const auto* map = scheme.get<source::Map>();
    const bool full = map != nullptr && std::ranges::any_of(*map, [](const source::Entry& entry) {
                        return find_preset(source::python_str(entry.first)) == nullptr;
                      });
    if (!full) {
      draft_.set("scheme", scheme);
      return;
    }
    source::Map group;
    if (scheme.find("targets") == nullptr) {
      group.emplace_back(text_value("targets"), targets == nullptr ? list_value({"Linear"}) : *targets);
    }
    for (const source::Entry& entry : *map) group.push_back(entry);
    draft_.set("config_groups", groups_written_out({source::Map{{text_value("group_0"), {std::move(group), {}}}}, {}}));
  }

  void set_schemes(const Value* scheme, const Value* groups) {
    if (scheme != nullptr) {
      set_scheme(*scheme, nullptr);
    } else if (groups != nullptr) {
      draft_.set("config_groups", groups_written_out(*groups));
    }
  }

  // `quantize` may hold the one modifier whose fields are meant.
  const Value* nested() {
    const Value* quantize = given("quantize");
    const auto* map = quantize == nullptr ? nullptr : quantize->get<source::Map>();
    if (map == nullptr || map->size() != 1) {
      return nullptr;
    }
    note("the fields of the modifier within `quantize` are its own now");
    return &map->front().second;
  }

  static bool orders_itself(const Value* groups) {
    const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
    return map != nullptr && std::ranges::any_of(*map, [](const source::Entry& group) {
             const Value* weights = group.second.find("weights");
             const Value* order = weights == nullptr ? nullptr : weights->find("actorder");
             return order != nullptr && !order->is_null();
           });
  }

  // SparseML's numbers where neither GPTQ nor a modifier before it has a scheme: eight bits for weights and inputs.
  Value usual_groups() const {
    const Value* targets = given("targets");
    const auto arguments = [] {
      return Value{source::Map{{text_value("num_bits"), {std::int64_t{8}, {}}}, {text_value("symmetric"), {true, {}}}},
                   {}};
    };
    source::Map group{
        {text_value("targets"), targets == nullptr ? list_value({"Linear"}) : list_value(texts_of(*targets))},
        {text_value("weights"), arguments()},
        {text_value("input_activations"), arguments()}};
    return groups_written_out({source::Map{{text_value("group_0"), {std::move(group), {}}}}, {}});
  }

  // Returns false where there is nothing to quantize.
  bool set_usual_groups() {
    const Value* quantize = given("quantize");
    if (quantize != nullptr && stages::as_boolean(*quantize) == false) {
      drop(status_, action_, "llm-compressor", "it has no scheme and `quantize: false`: it does nothing", sink_);
      return false;
    }
    draft_.set("config_groups", usual_groups());
    note("it has no scheme, so that of SparseML is written out: int8 weights and inputs");
    return true;
  }

  std::optional<Draft> quantize_by_hessian() {
    const Value* inner = nested();
    const auto look = [&](std::string_view name) {
      const Value* own = given(name);
      return own != nullptr || inner == nullptr ? own : inner->find(name);
    };
    const Value* groups = look("config_groups");
    keep({"block_size", "dampening_frac"});
    if (const Value* ignore = look("ignore")) draft_.set("ignore", *ignore);
    set_schemes(look("scheme"), groups);
    const bool bare = look("scheme") == nullptr && groups == nullptr && !quantized_;
    if (bare && !set_usual_groups()) {
      return std::nullopt;
    }
    if (!orders_itself(groups)) {
      draft_.set("actorder", {});
      note("`actorder` is null, as in SparseML; the default of llm-compressor is `static`");
    }
    if (const Value* targets = given("targets")) {
      instructions_.push_back(fmt::format("give `oneshot` the layers that GPTQ goes through: sequential_targets=[{}]",
                                          fmt::join(quoted(texts_of(*targets)), ", ")));
    }
    note_dropped("sequential_update", "layers are always done one after the other");
    note_calibration();
    return std::move(draft_);
  }

  static std::vector<std::string> quoted(const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    for (const std::string& text : texts) out.push_back(base::python_repr(std::string_view(text)));
    return out;
  }

  void note_calibration() {
    note_dropped("num_calibration_steps", "`num_calibration_samples` of `oneshot` says how much data is used");
    if (given("disable_quantization_observer_epoch") != nullptr) {
      approximate(status_, action_, "there is no training in which observers could be frozen", sink_);
    }
  }

  void quantize() {
    keep({"ignore"});
    set_schemes(given("scheme"), given("config_groups"));
    note_calibration();
  }

  void quantize_by_schemes() {
    draft_.class_name = "QuantizationModifier";
    keep({"ignore"});
    const Value none;
    const Value* scheme = given("scheme");
    const Value* overrides = given("scheme_overrides");
    draft_.set("config_groups",
               groups_of_schemes(scheme == nullptr ? none : *scheme, overrides == nullptr ? none : *overrides));
    approximate(status_, action_, "quantization in training becomes quantization after it", sink_);
    const auto* map = overrides == nullptr ? nullptr : overrides->get<source::Map>();
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      report_kind(source::python_str((*map)[at].first));
    }
  }

  // An override for layers that llm-compressor leaves alone. Convolutions have weights, which stay as they are.
  void report_kind(const std::string& name) {
    if (name.starts_with("Conv")) {
      approximate(status_, action_, fmt::format("`{}` layers are left as they are", base::printable(name)), sink_);
    } else if (is_never_quantized(name)) {
      note(fmt::format("the scheme of `{}` is left out: its layers are never quantized", base::printable(name)));
    }
  }

  void smooth() {
    if (origin_.class_name == "LogarithmicEqualizationModifier") {
      draft_.class_name = "SmoothQuantModifier";
      draft_.set("algorithm", text_value("log_equalization"));
      note("the class is an old name of SmoothQuantModifier");
    }
    keep({"smoothing_strength"});
    if (const Value* mappings = given("mappings")) draft_.set("mappings", without_ignored(*mappings));
    keep({"ignore"});
    note_dropped("num_calibration_steps", "`num_calibration_samples` of `oneshot` says how much data is used");
  }

  // Names of `ignore` that the pattern of a norm takes. SparseML leaves these norms out, and llm-compressor would look
  // for the layers behind them.
  std::string without_ignored(const std::string& pattern) {
    const Matcher matcher(pattern);
    std::string out = pattern;
    for (const std::string& name :
         given("ignore") == nullptr ? std::vector<std::string>() : texts_of(*given("ignore"))) {
      if (!is_pattern(pattern) || is_pattern(name) || !matcher.takes_name(name)) continue;
      out = fmt::format("re:(?!{}$){}", escaped(name), pattern_of(out));
      note(fmt::format("the pattern of a norm leaves out `{}`, which is ignored", name));
    }
    return out;
  }

  // The last item of each mapping is its norm.
  Value without_ignored(const Value& mappings) {
    Value out = mappings;
    auto* list = std::get_if<source::List>(&out.data);
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
      auto* mapping = std::get_if<source::List>(&(*list)[at].data);
      auto* norm = mapping == nullptr || mapping->empty() ? nullptr : std::get_if<std::string>(&mapping->back().data);
      if (norm != nullptr) *norm = without_ignored(*norm);
    }
    return out;
  }

  void report_training() {
    const bool mask = origin_.class_name == "ConstantPruningModifier";
    place_elsewhere(status_, action_, "llm-compressor",
                    mask ? "whoever trains the model afterwards has to hold its zeros"
                         : "llm-compressor trains no model; distil it in the training script",
                    sink_);
  }

  const ir::Action& action_;
  const ir::Origin& origin_;
  bool quantized_;  // true if a modifier before it gives schemes
  ActionStatus& status_;
  std::vector<std::string>& notes_;
  std::vector<std::string>& instructions_;
  diag::Sink& sink_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> draft_of_stages(const ir::Action& action, bool quantized, ActionStatus& status,
                                     std::vector<std::string>& notes, std::vector<std::string>& instructions,
                                     diag::Sink& sink) {
  return StageTranslator(action, quantized, status, notes, instructions, sink).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
