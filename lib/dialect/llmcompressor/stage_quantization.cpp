#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "dialect/llmcompressor/schemes.h"
#include "dialect/llmcompressor/stage_modifier.h"
#include "dialect/llmcompressor/write.h"
#include "dialect/record/types.h"

// Converts quantization modifiers of SparseML stages.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

// Copies a preset scheme, which has the same name in SparseML. Converts a mapping with arguments to one group.
static void set_scheme(StageModifier& from, const Value& scheme) {
  const auto* map = scheme.get<source::Map>();
  const bool full = map != nullptr && std::ranges::any_of(*map, [](const source::Entry& entry) {
                      return find_preset(source::python_str(entry.first)) == nullptr;
                    });
  if (!full) {
    from.draft.set("scheme", scheme);
    return;
  }
  source::Map group;
  if (scheme.find("targets") == nullptr) {
    group.emplace_back(text_value("targets"), list_value({"Linear"}));
  }
  for (const source::Entry& entry : *map) group.push_back(entry);
  from.draft.set("config_groups",
                 groups_written_out({source::Map{{text_value("group_0"), {std::move(group), {}}}}, {}}));
}

static void set_schemes(StageModifier& from, const Value* scheme, const Value* groups) {
  if (scheme != nullptr) {
    set_scheme(from, *scheme);
  } else if (groups != nullptr) {
    from.draft.set("config_groups", groups_written_out(*groups));
  }
}

// Returns the modifier nested in `quantize`, if any. Its fields are used.
static const Value* nested(StageModifier& from) {
  const Value* quantize = from.given("quantize");
  const auto* map = quantize == nullptr ? nullptr : quantize->get<source::Map>();
  if (map == nullptr || map->size() != 1) {
    return nullptr;
  }
  from.note("the fields of the modifier in `quantize` are written as fields of this modifier");
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

// Returns SparseML's default if neither GPTQ nor an earlier modifier has a scheme: int8 weights and inputs.
static Value usual_groups(const StageModifier& from) {
  const Value* targets = from.given("targets");
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

// Returns false if there is nothing to quantize.
static bool set_usual_groups(StageModifier& from) {
  const Value* quantize = from.given("quantize");
  if (quantize != nullptr && as_boolean(*quantize) == false) {
    from.drop("it has no scheme and `quantize: false`, so it does nothing");
    return false;
  }
  from.draft.set("config_groups", usual_groups(from));
  from.note("it has no scheme, so the default of SparseML is written: int8 weights and inputs");
  return true;
}

static std::vector<std::string> quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(base::python_repr(std::string_view(text)));
  return out;
}

static void note_calibration(StageModifier& from) {
  from.note_dropped("num_calibration_steps", "set `num_calibration_samples` of `oneshot` instead");
  if (from.given("disable_quantization_observer_epoch") != nullptr) {
    from.approximate("observers are not frozen, because there is no training");
  }
}

std::optional<Draft> quantize_by_hessian(StageModifier& from, bool quantized) {
  const Value* inner = nested(from);
  const auto look = [&](std::string_view name) {
    const Value* own = from.given(name);
    return own != nullptr || inner == nullptr ? own : inner->find(name);
  };
  const Value* groups = look("config_groups");
  from.keep({"block_size", "dampening_frac"});
  if (const Value* ignore = look("ignore")) from.draft.set("ignore", *ignore);
  set_schemes(from, look("scheme"), groups);
  const bool bare = look("scheme") == nullptr && groups == nullptr && !quantized;
  if (bare && !set_usual_groups(from)) {
    return std::nullopt;
  }
  if (!orders_itself(groups)) {
    from.draft.set("actorder", {});
    from.note("`actorder: null` is written, because the default of llm-compressor is `static`");
  }
  if (const Value* targets = from.given("targets")) {
    from.instructions.push_back(fmt::format("pass the layers for GPTQ to `oneshot`: sequential_targets=[{}]",
                                            fmt::join(quoted(texts_of(*targets)), ", ")));
  }
  from.note_dropped("sequential_update", "layers are always processed sequentially");
  note_calibration(from);
  return std::move(from.draft);
}

void quantize(StageModifier& from) {
  from.keep({"ignore"});
  set_schemes(from, from.given("scheme"), from.given("config_groups"));
  note_calibration(from);
}

// Reports an override for layers that llm-compressor does not quantize. The weights of convolutions stay unquantized.
static void report_kind(StageModifier& from, const std::string& name) {
  if (name.starts_with("Conv")) {
    from.approximate(fmt::format("`{}` layers are not quantized", base::printable(name)));
  } else if (is_never_quantized(name)) {
    from.note(
        fmt::format("the scheme of `{}` is omitted, because its layers are never quantized", base::printable(name)));
  }
}

void quantize_by_schemes(StageModifier& from) {
  from.draft.class_name = "QuantizationModifier";
  from.keep({"ignore"});
  const Value none;
  const Value* scheme = from.given("scheme");
  const Value* overrides = from.given("scheme_overrides");
  from.draft.set("config_groups",
                 groups_of_schemes(scheme == nullptr ? none : *scheme, overrides == nullptr ? none : *overrides));
  from.approximate("quantization-aware training becomes quantization after training");
  const auto* map = overrides == nullptr ? nullptr : overrides->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    report_kind(from, source::python_str((*map)[at].first));
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
