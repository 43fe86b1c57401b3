#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/stage_modifier.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/write.h"
#include "regex/literal.h"

// Translates the modifiers of SparseML stages.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// The layers that SparseML selects without `targets`: the decoder layers.
constexpr std::string_view kDecoderLayers = "re:.*layers\\.\\d+$";

const Value* StageModifier::given(std::string_view name) const { return action.origin.given(name); }

void StageModifier::keep(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Value* value = given(name)) draft.set(name, *value);
  }
}

void StageModifier::note(const std::string& line) {
  notes.push_back(fmt::format("{}: {}", action.origin.class_name, line));
}

void StageModifier::note_dropped(std::string_view field, std::string_view why) {
  if (given(field) != nullptr) note(fmt::format("`{}` is omitted: {}", field, why));
}

void StageModifier::approximate(std::string_view reason) { dialect::approximate(status, action, reason, sink); }

void StageModifier::drop(std::string reason) {
  dialect::drop(status, action, "llm-compressor", std::move(reason), sink);
}

std::vector<std::string> texts_of(const Value& value) {
  std::vector<std::string> out;
  if (const auto* text = value.get<std::string>()) out.push_back(*text);
  const auto* list = value.get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    if (const auto* text = (*list)[at].get<std::string>()) out.push_back(*text);
  }
  return out;
}

namespace {

class StageTranslator {
 public:
  StageTranslator(StageModifier& from, bool quantized) : from_(from), quantized_(quantized) {}

  std::optional<Draft> run() {
    const std::string& name = from_.action.origin.class_name;
    from_.draft = {name, from_.action.origin.stage, from_.action.origin.group};
    if (name == "SparseGPTModifier" || name == "WandaPruningModifier") {
      return prune();
    } else if (name == "GPTQModifier") {
      return quantize_by_hessian(from_, quantized_);
    } else if (name == "QuantizationModifier") {
      quantize(from_);
    } else if (name == "LegacyQuantizationModifier") {
      quantize_by_schemes(from_);
    } else if (name == "SmoothQuantModifier" || name == "LogarithmicEqualizationModifier") {
      smooth();
    } else if (name == "MagnitudePruningModifier") {
      return magnitude();
    } else {
      report_training();
      return std::nullopt;
    }
    return std::move(from_.draft);
  }

 private:
  // --- targets ---

  // Returns the name of the layer for a parameter name.
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
        out.insert(out.end(), std::begin(kPrunedClasses), std::end(kPrunedClasses));
      } else {
        out.push_back(layer_of(target));
      }
    }
    return out;
  }

  void set_targets() {
    const Value* targets = from_.given("targets");
    if (targets == nullptr) {
      from_.draft.set("targets", list_value({std::string(kDecoderLayers)}));
      from_.note("SparseML selects all decoder layers by default; they are written as `targets`");
      return;
    }
    if (targets->get<std::string>() != nullptr) {
      from_.note("`targets` is written as a list, because llm-compressor reads a string letter by letter");
    }
    from_.draft.set("targets", list_value(layers_of(texts_of(*targets))));
  }

  // --- pruning ---

  std::optional<Draft> prune() {
    const Value* sparsity = from_.given("sparsity");
    if (sparsity != nullptr && !fits(*sparsity)) {
      from_.drop("llm-compressor rejects a sparsity below 0, and 1 or more");
      return std::nullopt;
    }
    from_.draft.set("sparsity", sparsity == nullptr ? Value{0.0, {}} : *sparsity);
    from_.keep({"mask_structure"});
    if (from_.action.origin.class_name == "SparseGPTModifier") {
      from_.keep({"block_size", "dampening_frac", "preserve_sparsity_mask"});
    }
    set_targets();
    from_.note_dropped("sequential_update", "layers are always processed sequentially");
    if (from_.given("sparsity_profile") != nullptr) {
      from_.approximate("`owl` fails in llm-compressor, so every layer gets the same sparsity");
    }
    return std::move(from_.draft);
  }

  // Returns true if llm-compressor accepts the sparsity, or each one of a list.
  static bool fits(const Value& sparsity) {
    if (const auto* list = sparsity.get<source::List>()) return std::ranges::all_of(*list, fits);
    const auto number = number_of(sparsity);
    return !number || (*number >= 0 && *number < 1);
  }

  std::optional<Draft> magnitude() {
    from_.draft.class_name = "SparseGPTModifier";
    const Value* last = from_.given("final_sparsity");
    const Value* mask = from_.given("mask_structure");
    const auto* structure = mask == nullptr ? nullptr : mask->get<std::string>();
    if (structure != nullptr && *structure != "unstructured") {
      from_.drop(fmt::format("it can't remove weights by `{}` in one shot", *structure));
      return std::nullopt;
    }
    const auto number = last == nullptr ? std::nullopt : number_of(*last);
    if (!number || !fits(*last)) {
      from_.drop("the final sparsity is not between 0 and 1");
      return std::nullopt;
    }
    from_.draft.set("sparsity", {*number, {}});
    set_targets();
    from_.approximate("gradual pruning becomes one pass of SparseGPT at the final sparsity");
    return std::move(from_.draft);
  }

  static std::optional<double> number_of(const Value& value) {
    const auto* text = value.get<std::string>();
    return text == nullptr ? value.number() : base::python_float(*text);
  }

  void smooth() {
    if (from_.action.origin.class_name == "LogarithmicEqualizationModifier") {
      from_.draft.class_name = "SmoothQuantModifier";
      from_.draft.set("algorithm", text_value("log_equalization"));
      from_.note("the class is an old name of SmoothQuantModifier");
    }
    from_.keep({"smoothing_strength"});
    if (const Value* mappings = from_.given("mappings")) from_.draft.set("mappings", without_ignored(*mappings));
    from_.keep({"ignore"});
    from_.note_dropped("num_calibration_steps", "set `num_calibration_samples` of `oneshot` instead");
  }

  // Notes names of `ignore` that the pattern of a norm matches. SparseML skips these norms, but llm-compressor would
  // search for the layers after them.
  std::string without_ignored(const std::string& pattern) {
    const model::Matcher matcher = matcher_of(pattern);
    std::string out = pattern;
    for (const std::string& name :
         from_.given("ignore") == nullptr ? std::vector<std::string>() : texts_of(*from_.given("ignore"))) {
      if (!is_pattern(pattern) || is_pattern(name) || !matcher.takes(name)) continue;
      out = fmt::format("re:(?!{}$){}", regex::literal(name), pattern_of(out));
      from_.note(fmt::format("the pattern of a norm excludes `{}`, which is in `ignore`", name));
    }
    return out;
  }

  // Excludes ignored names from the norm, which is the last item of each mapping.
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
    const bool mask = from_.action.origin.class_name == "ConstantPruningModifier";
    mark_not_converted(from_.status, from_.action, "llm-compressor",
                       mask ? "keep the zeros in your training script if you train the model afterwards"
                            : "set up distillation in your training script",
                       from_.sink);
  }

  StageModifier& from_;
  bool quantized_;  // true if an earlier modifier sets schemes
};

}  // namespace

std::optional<Draft> draft_of_stages(const ir::Action& action, bool quantized, ActionStatus& status,
                                     std::vector<std::string>& notes, std::vector<std::string>& instructions,
                                     diag::Sink& sink) {
  StageModifier from{action, status, notes, instructions, sink, {}};
  return StageTranslator(from, quantized).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
