#include "dialect/schemes/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/assigned.h"
#include "dialect/schemes/language.h"

namespace sparsecfg::dialect::schemes {

using ir::Granularity;
using source::Value;

static std::optional<Granularity> granularity_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::tensor: return Granularity::tensor;
    case Strategy::channel: return Granularity::channel;
    case Strategy::token: return Granularity::token;
    case Strategy::group:
    case Strategy::tensor_group: return Granularity::group;
    case Strategy::block: return Granularity::block;
    case Strategy::attn_head: return Granularity::head;
    case Strategy::none: break;
  }
  return std::nullopt;
}

static ir::ScaleTime time_of(Dynamic dynamic) {
  return dynamic == Dynamic::no      ? ir::ScaleTime::fixed
         : dynamic == Dynamic::local ? ir::ScaleTime::local
                                     : ir::ScaleTime::dynamic;
}

// Returns a torch dtype in the words of schemes: "e8m0", "e4m3", "float32".
static std::string type_name(const Value* dtype) {
  constexpr std::string_view kTorch = "torch.";
  const auto* text = dtype == nullptr ? nullptr : dtype->get<std::string>();
  if (text == nullptr) return {};
  const std::string_view name = text->starts_with(kTorch) ? std::string_view(*text).substr(kTorch.size()) : *text;
  return std::string(name == "uint8" ? "e8m0" : name == "float8_e4m3fn" ? "e4m3" : name);
}

// Zero points of integers with up to 8 bits are int8 by default, and those of floats are floats.
static std::string zero_point_of(const QuantizationArgs& args, const Value& arguments) {
  if (args.symmetric) return {};
  const std::string name = type_name(arguments.given("zp_dtype"));
  if (args.is_float) return name.empty() ? "e4m3" : name;
  return name == "int8" ? "" : name;
}

static std::string observer_of(const Value& arguments) {
  const Value* name = arguments.given("observer");
  const Value* details = arguments.given("observer_kwargs");
  const auto* map = details == nullptr ? nullptr : details->get<source::Map>();
  if (name == nullptr) return {};
  std::string out = source::python_str(*name);
  if (map != nullptr && !map->empty()) out += " with " + source::python_str(*details);
  return out;
}

static std::array<std::int64_t, 2> block_of(const Value* block) {
  const auto* sizes = block == nullptr ? nullptr : block->get<source::List>();
  if (sizes == nullptr || sizes->size() != 2) return {};
  const auto size = [&](std::size_t at) {
    return static_cast<std::int64_t>(std::clamp((*sizes)[at].number().value_or(0), 0.0, 1e9));
  };
  return {size(0), size(1)};
}

ir::TensorFormat format_of(const Value& arguments) {
  const QuantizationArgs args = read_args(arguments);
  ir::TensorFormat out{.type = args.is_float ? ir::NumberType::floating : ir::NumberType::integer,
                       .bits = args.bits,
                       .symmetric = args.symmetric,
                       .granularity = granularity_of(args.strategy),
                       .group_size = args.group_size,
                       .block = block_of(arguments.given("block_structure")),
                       .scales = time_of(args.dynamic),
                       .scale_type = type_name(arguments.given("scale_dtype")),
                       .zero_point = zero_point_of(args, arguments),
                       .tensor_scale = args.strategy == Strategy::tensor_group,
                       .observer = observer_of(arguments)};
  if (const Value* order = arguments.given("actorder")) out.order = source::python_str(*order);
  return out;
}

ir::Scheme scheme_of(const Value& group) {
  const auto formats = [&](std::string_view tensor) {
    const Value* arguments = group.given(tensor);
    return arguments == nullptr ? std::vector<ir::TensorFormat>() : std::vector{format_of(*arguments)};
  };
  ir::Scheme out{formats("weights"), formats("input_activations"), formats("output_activations")};
  const Value* format = group.given("format");
  const auto* name = format == nullptr ? nullptr : format->get<std::string>();
  if (name != nullptr && *name != inferred_format(group)) out.storage = *name;
  return out;
}

ir::Assign assign_of(const source::Map& groups, const std::vector<Entry>& ignored, ir::Method method) {
  ir::Assign out{{&kSchemeLanguage, rules_of(ignored, ir::Rule::Kind::leaves)}, {}, std::move(method)};
  for (const source::Entry& group : groups) {
    ir::Scheme scheme = scheme_of(group.second);
    const auto kind = scheme.is_empty() ? ir::Rule::Kind::excludes : ir::Rule::Kind::assigns;
    for (ir::Rule& rule : rules_of(entries_of(group.second.find("targets")), kind)) {
      rule.scheme = static_cast<std::uint32_t>(out.schemes.size());
      out.selection.rules.push_back(std::move(rule));
    }
    out.schemes.push_back(std::move(scheme));
  }
  return out;
}

static ir::CacheScheme cache_of(const ir::OriginField& field, const ir::Method& method) {
  const ir::TensorFormat format = format_of(complete(field.value));
  return {{&kCacheLanguage, {{field.name, field.key}}}, format, format, method};
}

// Returns true if a value contains an integer that does not fit into 64 bits. Python reads it, but formats can't hold
// it.
static bool has_huge_integer(const Value& value) {
  if (const auto* map = value.get<source::Map>()) {
    return std::ranges::any_of(*map, [](const source::Entry& entry) { return has_huge_integer(entry.second); });
  }
  return value.get<source::BigInt>() != nullptr;
}

// Formats with such an integer are unknown.
static void mark_unknown(const ir::Origin& origin, ir::Assign& assign) {
  const auto is_huge = [](const ir::OriginField& field) { return has_huge_integer(field.value); };
  if (std::ranges::none_of(origin.fields, is_huge)) return;
  for (ir::Rule& rule : assign.selection.rules) rule.unknown = true;
}

std::vector<ir::Operation> scheme_operations(const ir::Origin& origin, const ir::Method& method) {
  std::vector<ir::Operation> out;
  const source::Map groups = groups_of(origin);
  if (!groups.empty()) {
    ir::Assign assign = assign_of(groups, entries_of(ignored_by(origin)), method);
    mark_unknown(origin, assign);
    out.emplace_back(std::move(assign));
  }
  const ir::OriginField* cache = origin.find("kv_cache_scheme");
  if (cache != nullptr && cache->value.get<source::Map>() != nullptr) out.emplace_back(cache_of(*cache, method));
  return out;
}

}  // namespace sparsecfg::dialect::schemes
