#include <algorithm>

#include "dialect/llmcompressor/parts.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Map;

static const source::Value* entry(const Map& map, std::string_view key) {
  const auto found = std::ranges::find_if(map, [&](const source::Entry& each) {
    const auto* name = each.first.get<std::string>();
    return name != nullptr && *name == key;
  });
  return found == map.end() ? nullptr : &found->second;
}

static void add(Map& map, std::string_view key, source::Value::Data data) {
  if (entry(map, key) == nullptr) {
    map.emplace_back(source::Value{std::string(key), {}}, source::Value{std::move(data), {}});
  }
}

static std::string text_in(const Map& map, std::string_view key) {
  const source::Value* value = entry(map, key);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::string() : *text;
}

// Adds what the validators of QuantizationArgs set.
static void add_derived(Map& arguments) {
  const source::Value* dynamic = entry(arguments, "dynamic");
  const auto* flag = dynamic == nullptr ? nullptr : dynamic->get<bool>();
  const bool online = flag != nullptr && *flag;
  const source::Value* group = entry(arguments, "group_size");
  const auto* size = group == nullptr ? nullptr : group->get<std::int64_t>();
  add(arguments, "strategy",
      std::string(size != nullptr ? (*size > 0 ? "group" : "channel")
                  : online        ? "token"
                                  : "tensor"));
  const source::Value* symmetric = entry(arguments, "symmetric");
  const auto* centered = symmetric == nullptr ? nullptr : symmetric->get<bool>();
  const bool zero_points = centered != nullptr && !*centered;
  if (text_in(arguments, "strategy") == "tensor_group") {
    add(arguments, "scale_dtype", std::string("torch.float8_e4m3fn"));
  }
  add(arguments, "zp_dtype", zero_points ? source::Value::Data(std::string("torch.int8")) : source::Value::Data());
  if (online) {
    std::erase_if(arguments, [](const source::Entry& each) {
      const auto* name = each.first.get<std::string>();
      return name != nullptr && *name == "observer";
    });
  }
  add(arguments, "observer",
      online                                     ? source::Value::Data()
      : text_in(arguments, "dynamic") == "local" ? source::Value::Data(std::string("static_minmax"))
                                                 : source::Value::Data(std::string("memoryless_minmax")));
}

// Looks for arguments of tensors: under these keys, at any depth.
static void add_derived(source::Value& value, const Constructed& constructed, bool arguments) {
  static constexpr std::string_view kTensors[] = {"weights", "input_activations", "output_activations",
                                                  "kv_cache_scheme"};
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (source::Value& item : *list) add_derived(item, constructed, false);
  }
  auto* map = std::get_if<Map>(&value.data);
  if (map == nullptr) {
    return;
  }
  for (source::Entry& each : *map) {
    const auto* key = each.first.get<std::string>();
    add_derived(each.second, constructed, key != nullptr && std::ranges::find(kTensors, *key) != std::end(kTensors));
  }
  const bool known = std::ranges::none_of(
      *map, [&](const source::Entry& each) { return constructed.unknown.contains(each.second.span); });
  if (arguments && known && (constructed.all || constructed.places.contains(value.span))) {
    add_derived(*map);
  }
}

std::vector<ir::Origin> constructed_origins(const ir::Recipe& recipe, const Constructed& constructed) {
  std::vector<ir::Origin> out;
  for (const ir::Action& action : recipe.actions) {
    ir::Origin origin = action.origin;
    for (ir::OriginField& field : origin.fields) {
      add_derived(field.value, constructed, field.name == "kv_cache_scheme");
      if (constructed.all && field.name == "targets" && field.value.get<std::string>() != nullptr) {
        field.value = {source::List{field.value}, field.value.span};
      }
    }
    const bool asks = constructed.all && origin.class_name == "QuantizationModifier" && action.needs_data;
    if (asks && origin.find("requires_calibration_data") == nullptr) {
      origin.fields.push_back({"requires_calibration_data", {}, {true, {}}});
    }
    out.push_back(std::move(origin));
  }
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
