#include "dialect/nni/script_calls.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "dialect/nni/table.h"
#include "dialect/nni/values.h"
#include "dialect/script_call.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

// Positions of the arguments before those of the class. The evaluator is optional in some classes.
constexpr std::string_view kFirst[] = {"model", "config_list", "evaluator"};
constexpr std::string_view kOfCompress[] = {"max_steps", "max_epochs"};

// Returns the name of a positional argument; empty if the class has none at that position.
static std::string_view name_at(const ClassSpec* spec, std::size_t position) {
  if (spec == nullptr) return {};
  const std::size_t before = spec->kind == Schedule::repeated ? 0 : std::size(kFirst);
  if (position < before) return kFirst[position];
  return position - before < spec->fields.size() ? spec->fields[position - before].name : std::string_view();
}

static std::optional<std::size_t> position_of(std::string_view key) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), position);
  return error == std::errc() && end == key.data() + key.size() ? std::optional(position) : std::nullopt;
}

// Returns the name of an argument of a call, or of `compress` without a class.
static std::string argument_name(const std::string& key, const ClassSpec* spec, bool compress) {
  const auto position = position_of(key);
  if (!position) return key;
  if (!compress) return std::string(name_at(spec, *position));
  return std::string(*position < std::size(kOfCompress) ? kOfCompress[*position] : std::string_view());
}

static bool is_before(std::string_view name) { return name == "existed_wrappers" || base::contains(kFirst, name); }

static void add_arguments(const Map& call, const ClassSpec* spec, Map& out, bool compress = false) {
  const Value* given = find_value(call, kCallArguments);
  const auto* arguments = given == nullptr ? nullptr : given->get<Map>();
  for (std::size_t at = 0; arguments != nullptr && at < arguments->size(); ++at) {
    const auto& [key, value] = (*arguments)[at];
    std::string name = argument_name(name_of((*arguments)[at]), spec, compress);
    if (!name.empty() && !is_before(name)) out.emplace_back(Value{std::move(name), key.span}, value);
  }
}

// Returns true for an argument that decides the schedule. Objects such as the evaluator do not, and `**` may hide any.
static bool decides(const ClassSpec* spec, std::string_view name) {
  const FieldSpec* field = spec == nullptr ? nullptr : spec->find(name);
  return name == "**" || (field != nullptr && field->type != Type::any);
}

static void add_unknown(const Map& call, const ClassSpec* spec, std::set<std::string>& out) {
  for (const auto& key : texts_of(find_value(call, kCallUnknown))) {
    std::string name = argument_name(key.value, spec, false);
    if (decides(spec, name)) out.insert(std::move(name));
  }
}

static Value part_of(const Value& call, std::set<std::string>& unknown) {
  const Map& map = *call.get<Map>();
  const Value& name = *find_value(map, kCallClass);
  const ClassSpec* spec = find_class(source::python_str(name));
  Map out{{Value{std::string("class"), name.span}, name}};
  add_arguments(map, spec, out);
  add_unknown(map, spec, unknown);
  if (const Value* inner = find_value(map, kCallWrapped)) put(out, "pruner", part_of(*inner, unknown));
  return {std::move(out), call.span};
}

static ScriptCall read_call(const Value& call) {
  ScriptCall out;
  out.path = source::python_str(*call.find(kCallPath));
  out.part = part_of(call, out.unknown);
  const Value* compress = find_value(*call.get<Map>(), kCallCompress);
  if (compress == nullptr) return out;
  out.compress_call = compress->span;
  const Value* order = find_value(*call.get<Map>(), kCallOrder);
  if (order != nullptr) out.order = position_of(source::python_str(*order)).value_or(0);
  const Value* speedup = find_value(*call.get<Map>(), kCallSpeedup);
  if (speedup != nullptr) out.speedup = speedup->span;
  add_arguments(*compress->get<Map>(), nullptr, out.compress, true);
  for (const auto& key : texts_of(find_value(*compress->get<Map>(), kCallUnknown))) {
    out.computes_steps = out.computes_steps || argument_name(key.value, nullptr, true) == "max_steps";
  }
  return out;
}

std::vector<ScriptCall> script_calls_of(const Map& lists, const std::string& list) {
  const Value* calls = find_value(lists, list + std::string(kConstructorSuffix));
  const auto* items = calls == nullptr ? nullptr : calls->get<source::List>();
  std::vector<ScriptCall> out;
  for (std::size_t at = 0; items != nullptr && at < items->size(); ++at) out.push_back(read_call((*items)[at]));
  return out;
}

}  // namespace sparsecfg::dialect::nni
