#include "dialect/schemes/assigned.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/record/types.h"
#include "dialect/schemes/release.h"
#include "dialect/schemes/targets.h"
#include "outcome/outcome.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

namespace {

constexpr std::string_view kParts[] = {"input_activations", "output_activations", "weights"};

Value text_of(std::string_view text) { return {std::string(text), {}}; }

void set(source::Map& map, std::string_view key, Value value) {
  const auto found = std::ranges::find_if(map, [&](const source::Entry& entry) { return entry.first == text_of(key); });
  if (found != map.end()) {
    found->second = std::move(value);
  } else {
    map.emplace_back(text_of(key), std::move(value));
  }
}

Value order_of(const Value* order) {
  if (order == nullptr) return {};
  if (const auto* text = order->get<std::string>()) return text_of(base::to_lower(*text));
  return as_boolean(*order).value_or(false) ? text_of("group") : Value();
}

Value blocks_of(const Value* blocks) {
  const auto* text = blocks == nullptr ? nullptr : blocks->get<std::string>();
  if (text == nullptr) {
    return blocks == nullptr ? Value() : *blocks;
  }
  source::List out;
  const std::size_t mark = std::min(text->find('x'), text->size());
  for (const std::string& side : {text->substr(0, mark), text->substr(std::min(mark + 1, text->size()))}) {
    out.push_back({source::integer_of(base::trim(side)), {}});
  }
  return {std::move(out), {}};
}

Value dtype_of(const Value* type) {
  const auto* text = type == nullptr ? nullptr : type->get<std::string>();
  if (text == nullptr) return {};
  return text_of(text->starts_with("torch.") ? *text : "torch." + *text);
}

Value zero_type_of(const Value* type, const QuantizationArgs& args) {
  if (args.symmetric) return {};
  if (type != nullptr) return dtype_of(type);
  if (args.is_float) return text_of("torch.float8_e4m3fn");
  return text_of(args.bits <= 8 ? "torch.int8" : args.bits <= 16 ? "torch.int16" : "torch.int32");
}

Value observer_of(const Value* observer, const QuantizationArgs& args) {
  if (args.dynamic == Dynamic::yes) return {};
  if (observer != nullptr) return *observer;
  return text_of(args.dynamic == Dynamic::local ? "minmax" : "memoryless_minmax");
}

Value size_of(const Value* size) {
  const auto number = size == nullptr ? std::nullopt : as_real(*size);
  return number ? Value{static_cast<std::int64_t>(*number), {}} : Value();
}

// Arguments of a preset that are not among its numbers.
void add_details(source::Map& out, const Preset& preset, bool of_inputs) {
  if (preset.name.starts_with("MX")) set(out, "scale_dtype", text_of("torch.uint8"));
  if (preset.name.starts_with("NVFP4")) set(out, "scale_dtype", text_of("torch.float8_e4m3fn"));
  if (of_inputs && (preset.name == "FP8" || preset.name == "NVFP4")) set(out, "observer", text_of("static_minmax"));
  if (!of_inputs && preset.name == "FP8_BLOCK") {
    set(out, "block_structure", {source::List{{std::int64_t{128}, {}}, {std::int64_t{128}, {}}}, {}});
  }
}

Value arguments_of(const Preset& preset, bool of_inputs) {
  const QuantizationArgs& args = of_inputs ? preset.inputs : preset.weights;
  if (!args.present) {
    return {};
  }
  source::Map out;
  set(out, "num_bits", {args.bits, {}});
  set(out, "type", text_of(args.is_float ? "float" : "int"));
  set(out, "strategy", text_of(to_string(args.strategy)));
  set(out, "symmetric", {args.symmetric, {}});
  if (args.group_size > 0) set(out, "group_size", {args.group_size, {}});
  set(out, "dynamic", args.dynamic == Dynamic::local ? text_of("local") : Value{args.dynamic == Dynamic::yes, {}});
  add_details(out, preset, of_inputs);
  return complete({std::move(out), {}});
}

Value list_of(const Value& targets) {
  return targets.get<std::string>() != nullptr ? Value{source::List{targets}, {}} : targets;
}

Value preset_group(const Preset& preset, const Value& targets) {
  source::Map out;
  set(out, "format", {});
  set(out, "input_activations", arguments_of(preset, true));
  set(out, "output_activations", {});
  set(out, "targets", list_of(targets));
  set(out, "weights", arguments_of(preset, false));
  return {std::move(out), {}};
}

// Observers of a modifier replace those of its groups.
void replace_observers(source::Map& group, const ir::Origin& origin) {
  constexpr std::pair<std::string_view, std::string_view> kObservers[] = {
      {"weight_observer", "weights"}, {"input_observer", "input"}, {"output_observer", "output"}};
  constexpr std::string_view kFields[] = {"weights", "input_activations", "output_activations"};
  const Value* all = origin.given("observer");
  for (std::size_t at = 0; at < std::size(kObservers); ++at) {
    const Value* one = origin.given(kObservers[at].first);
    const Value* observer = all != nullptr ? all->given(kObservers[at].second) : one;
    const Value part = *Value{group, {}}.find(kFields[at]);
    if (observer == nullptr || part.is_null()) continue;
    source::Map arguments = *part.get<source::Map>();
    set(arguments, "observer", *observer);
    set(group, kFields[at], complete({std::move(arguments), {}}));
  }
}

// Returns the activation order that GPTQModifier writes if the recipe names none:
// docs/semantics/llm-compressor.md#b3-8.
Value default_order(const ir::Origin& origin, Strategy strategy) {
  const Release release = release_named(origin.release);
  const bool ordered =
      is_at_least(release, Release::v0_8) && (strategy == Strategy::group || is_at_least(release, Release::v0_11));
  return ordered ? text_of("static") : Value{};
}

// GPTQ sets its activation order, unless the group has one.
void set_order(source::Map& group, const ir::Origin& origin) {
  const ir::OriginField* field = origin.find("actorder");
  const Value part = *Value{group, {}}.find("weights");
  if (origin.class_name != "GPTQModifier" || part.is_null()) {
    return;
  }
  source::Map arguments = *part.get<source::Map>();
  Value order = *part.find("actorder");
  const Strategy strategy = read_args(part).strategy;
  if (order.is_null()) {
    order = field == nullptr ? default_order(origin, strategy) : order_of(origin.given("actorder"));
  }
  if (field != nullptr && order.span.empty()) order.span = field->value.span;
  const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
  if (!grouped && (order == text_of("group") || order == text_of("dynamic"))) order = {};
  set(arguments, "actorder", std::move(order));
  set(group, "weights", {std::move(arguments), {}});
}

// Returns the group of a preset as the release of a recipe has it.
Value group_of_preset(const ir::Origin& origin, const std::string& name, const Value& targets) {
  Value out = complete_group(name, targets);
  const Value* weights = was_per_channel(name, release_named(origin.release)) ? out.find("weights") : nullptr;
  if (weights == nullptr || weights->get<source::Map>() == nullptr) return out;
  source::Map arguments = *weights->get<source::Map>();
  set(arguments, "group_size", {});
  set(arguments, "strategy", text_of("channel"));
  source::Map group = *out.get<source::Map>();
  set(group, "weights", complete({std::move(arguments), {}}));
  return {std::move(group), out.span};
}

source::Map unfinished_groups(const ir::Origin& origin) {
  source::Map out;
  const Value* scheme = origin.given("scheme");
  const Value* groups = origin.given("config_groups");
  const auto* name = scheme == nullptr ? nullptr : scheme->get<std::string>();
  const auto* presets = scheme == nullptr ? nullptr : scheme->get<source::Map>();
  const Value* targets = origin.given("targets");
  if (name != nullptr) {
    const Value all{source::List{text_of("Linear")}, {}};
    out.emplace_back(text_of("group_0"), group_of_preset(origin, *name, list_of(targets == nullptr ? all : *targets)));
  }
  for (std::size_t at = 0; presets != nullptr && at < presets->size(); ++at) {
    const auto& [key, value] = (*presets)[at];
    out.emplace_back(text_of("group_" + std::to_string(at)),
                     group_of_preset(origin, source::python_str(key), list_of(value)));
  }
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && scheme == nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    out.emplace_back(key, complete_group(source::python_str(key), value));
  }
  return out;
}

Group plain_group(const source::Entry& entry) {
  Group out;
  out.name = source::python_str(entry.first);
  out.targets = entries_of(entry.second.find("targets"));
  out.weights = part_of(entry.second, "weights");
  out.inputs = part_of(entry.second, "input_activations");
  out.outputs = part_of(entry.second, "output_activations");
  return out;
}

// Gives completed values the places of those that are written.
void keep_places(const Value& written, source::Map& completed) {
  for (auto& [key, value] : completed) {
    const Value* given = written.given(*key.get<std::string>());
    if (given != nullptr && value.span.empty()) value.span = given->span;
  }
}

}  // namespace

Value complete(const Value& arguments) {
  if (arguments.get<source::Map>() == nullptr) {
    return {};
  }
  const QuantizationArgs args = read_args(arguments);
  const Value* details = arguments.given("observer_kwargs");
  source::Map out;
  set(out, "actorder", order_of(arguments.given("actorder")));
  set(out, "block_structure", blocks_of(arguments.given("block_structure")));
  set(out, "dynamic", args.dynamic == Dynamic::local ? text_of("local") : Value{args.dynamic == Dynamic::yes, {}});
  set(out, "group_size", size_of(arguments.given("group_size")));
  set(out, "num_bits", {args.bits, {}});
  set(out, "observer", observer_of(arguments.given("observer"), args));
  set(out, "observer_kwargs", details == nullptr ? Value{source::Map{}, {}} : *details);
  set(out, "scale_dtype", dtype_of(arguments.given("scale_dtype")));
  set(out, "strategy", text_of(to_string(args.strategy)));
  set(out, "symmetric", {args.symmetric, {}});
  set(out, "type", text_of(args.is_float ? "float" : "int"));
  set(out, "zp_dtype", zero_type_of(arguments.given("zp_dtype"), args));
  keep_places(arguments, out);
  return {std::move(out), {}};
}

Value complete_group(const std::string& name, const Value& group) {
  if (group.get<source::Map>() == nullptr) {
    const Preset* preset = find_preset(name);
    return preset_group(preset == nullptr ? *find_preset("UNQUANTIZED") : *preset, group);
  }
  source::Map out;
  const Value* format = group.given("format");
  const Value* targets = group.given("targets");
  set(out, "format", format == nullptr ? Value() : *format);
  for (const std::string_view part : {kParts[0], kParts[1]}) {
    const Value* arguments = group.given(part);
    set(out, part, arguments == nullptr ? Value() : complete(*arguments));
  }
  set(out, "targets", targets == nullptr ? Value{source::List{}, {}} : *targets);
  const Value* weights = group.given("weights");
  set(out, "weights", weights == nullptr ? Value() : complete(*weights));
  return {std::move(out), {}};
}

source::Map groups_of(const ir::Origin& origin) {
  source::Map out = unfinished_groups(origin);
  for (source::Entry& entry : out) {
    source::Map group = *entry.second.get<source::Map>();
    replace_observers(group, origin);
    set_order(group, origin);
    entry.second = {std::move(group), {}};
  }
  return out;
}

const source::Value* ignored_by(const ir::Origin& origin) { return origin.given("ignore"); }

namespace {

// Numbers the distinct groups that the states of an outcome have.
class GroupNumbers {
 public:
  GroupNumbers(const outcome::Outcome& outcome, std::vector<Value>& groups) : outcome_(outcome), groups_(groups) {}

  // Returns nullopt for a state without a scheme.
  std::optional<std::size_t> of(std::uint32_t state) {
    const auto [known, added] = of_states_.try_emplace(state);
    if (added) known->second = find(outcome_.states[state]);
    return known->second;
  }

 private:
  std::optional<std::size_t> find(const outcome::State& state) {
    const ir::Rule* rule = state.assigned && !state.scheme.is_empty() ? outcome_.rule(state.assigned->by) : nullptr;
    if (rule == nullptr) return std::nullopt;
    const Value& group = groups_in(state.assigned->by.action)[rule->scheme].second;
    const auto at = std::ranges::find(groups_, group);
    const auto number = static_cast<std::size_t>(at - groups_.begin());
    if (at == groups_.end()) groups_.push_back(group);
    return number;
  }

  const source::Map& groups_in(std::uint32_t action) {
    const auto [known, added] = of_actions_.try_emplace(action);
    if (added) known->second = groups_of(outcome_.recipe->actions[action].origin);
    return known->second;
  }

  const outcome::Outcome& outcome_;
  std::vector<Value>& groups_;
  std::map<std::uint32_t, std::optional<std::size_t>> of_states_;
  std::map<std::uint32_t, source::Map> of_actions_;
};

// Returns the cache scheme of the last action that has one.
Value cache_of(const ir::Recipe& recipe) {
  Value out;
  for (const ir::Action& action : recipe.actions) {
    if (const Value* cache = action.origin.given("kv_cache_scheme")) out = complete(*cache);
  }
  return out;
}

}  // namespace

Assignment assign(const ir::Recipe& recipe, const std::vector<model::Module>& modules) {
  const outcome::Outcome outcome = outcome::evaluate(recipe, modules);
  Assignment out{{}, std::vector<std::optional<std::size_t>>(modules.size()), cache_of(recipe), outcome.complete};
  GroupNumbers numbers(outcome, out.groups);
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const auto group = numbers.of(outcome.of_names[at]);
    out.groups_of_modules[at] = group;
    if (group && is_attention(modules[at])) out.cache = *out.groups[*group].find("input_activations");
  }
  return out;
}

std::string_view inferred_format(const Value& group) {
  const QuantizationArgs weights = part_of(group, "weights").args;
  const QuantizationArgs inputs = part_of(group, "input_activations").args;
  const Value* arguments = group.given("weights");
  const Value* scales = arguments == nullptr ? nullptr : arguments->given("scale_dtype");
  const bool bytes = scales != nullptr && dtype_of(scales) == text_of("torch.uint8");
  if (!weights.present) return "dense";
  if (weights.is_float && weights.bits == 4 && weights.group_size == 32) return "mxfp4-pack-quantized";
  if (weights.is_float && weights.bits == 8 && weights.group_size == 32 && bytes) return "mxfp8-quantized";
  if (weights.is_float && weights.bits == 4 && weights.group_size == 16) return "nvfp4-pack-quantized";
  if (!weights.is_float && inputs.present) return "int-quantized";
  if (!weights.is_float && weights.bits >= 1 && weights.bits <= 8 && !(inputs.present && inputs.is_float)) {
    return "pack-quantized";
  }
  return weights.is_float && inputs.present ? "float-quantized" : "naive-quantized";
}

std::string describe_group(const Value& group) { return describe(plain_group({{}, group})); }

}  // namespace sparsecfg::dialect::schemes
