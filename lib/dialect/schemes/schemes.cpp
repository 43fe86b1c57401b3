#include "dialect/schemes/schemes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "dialect/record/types.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

std::vector<Entry> entries_of(const Value* value) {
  std::vector<Entry> out;
  const auto add = [&](const Value& item) {
    if (const auto* text = item.get<std::string>()) out.push_back({*text, item.span});
  };
  if (value == nullptr) {
    return out;
  }
  if (const auto* list = value->get<source::List>()) {
    std::ranges::for_each(*list, add);
  } else {
    add(*value);
  }
  return out;
}

static std::int64_t whole_of(const Value* value, std::int64_t otherwise) {
  const auto number = value == nullptr ? std::nullopt : as_real(*value);
  return number ? base::whole_part(*number) : otherwise;
}

static Dynamic dynamic_of(const Value* value) {
  if (value == nullptr || value->is_null()) return Dynamic::no;
  if (value->get<std::string>() != nullptr) return Dynamic::local;
  return as_boolean(*value).value_or(false) ? Dynamic::yes : Dynamic::no;
}

static Strategy inferred_strategy(const Value* group_size) {
  if (group_size == nullptr || group_size->is_null()) return Strategy::tensor;
  const std::int64_t size = whole_of(group_size, 0);
  return size > 0 ? Strategy::group : size == -1 ? Strategy::channel : Strategy::none;
}

QuantizationArgs read_args(const Value& arguments) {
  QuantizationArgs out{.present = arguments.get<source::Map>() != nullptr};
  const auto text = [&](std::string_view name) {
    const Value* value = arguments.find(name);
    const auto* word = value == nullptr ? nullptr : value->get<std::string>();
    return word == nullptr ? std::string() : base::to_lower(*word);
  };
  out.bits = whole_of(arguments.find("num_bits"), 8);
  out.is_float = text("type") == "float";
  const Value* size = arguments.find("group_size");
  const std::string strategy = text("strategy");
  out.strategy = strategy.empty() ? inferred_strategy(size) : strategy_of(strategy);
  const bool grouped = out.strategy == Strategy::group || out.strategy == Strategy::tensor_group;
  out.group_size = grouped ? whole_of(size, 0) : 0;
  out.dynamic = dynamic_of(arguments.find("dynamic"));
  const Value* symmetric = arguments.find("symmetric");
  out.symmetric = symmetric == nullptr || as_boolean(*symmetric).value_or(true);
  return out;
}

Part part_of(const Value& group, std::string_view name) {
  const Value* value = group.find(name);
  return value == nullptr || value->get<source::Map>() == nullptr ? Part{} : Part{read_args(*value), value};
}

std::string describe(const QuantizationArgs& args) {
  std::string out = fmt::format("{}{}", args.is_float ? "float" : "int", args.bits);
  switch (args.strategy) {
    case Strategy::group:
    case Strategy::tensor_group: out += fmt::format(" in groups of {}", args.group_size); break;
    case Strategy::block: out += " in blocks"; break;
    case Strategy::none: break;
    default: out += fmt::format(" per {}", to_string(args.strategy));
  }
  return out + (args.symmetric ? "" : ", asymmetric") + (args.dynamic == Dynamic::no ? "" : ", dynamic");
}

std::string describe(const Group& group) {
  std::string out;
  const auto add = [&](std::string_view what, const Part& part) {
    if (part.args.present) out += fmt::format("{}{} {}", out.empty() ? "" : "; ", what, describe(part.args));
  };
  add("weights", group.weights);
  add("inputs", group.inputs);
  add("outputs", group.outputs);
  return out.empty() ? "nothing is quantized" : out;
}

}  // namespace sparsecfg::dialect::schemes
