#include "dialect/schemes/emit.h"

#include <fmt/format.h>

#include "dialect/schemes/assigned.h"
#include "dialect/schemes/operations.h"

namespace sparsecfg::dialect::schemes {

using source::Value;

namespace {

Value word(std::string_view text) { return {std::string(text), {}}; }

Value number(std::int64_t value) { return {value, {}}; }

std::string_view strategy_of(const ir::TensorFormat& format) {
  return format.tensor_scale ? "tensor_group" : ir::to_string(format.granularity.value_or(ir::Granularity::tensor));
}

void put(source::Map& map, std::string_view key, Value value) { map.emplace_back(word(key), std::move(value)); }

Value time_of(const ir::TensorFormat& format) {
  return format.scales == ir::ScaleTime::local ? word("local") : Value{format.scales == ir::ScaleTime::dynamic, {}};
}

}  // namespace

// Inputs have the maximum of all samples, which is not the default.
Value arguments_of(const ir::TensorFormat& format, bool weights) {
  source::Map out;
  put(out, "num_bits", number(format.bits));
  put(out, "type", word(ir::to_string(format.type)));
  put(out, "symmetric", {format.type == ir::NumberType::floating || format.symmetric.value_or(true), {}});
  put(out, "strategy", word(strategy_of(format)));
  if (format.granularity == ir::Granularity::group) put(out, "group_size", number(format.group_size));
  if (format.granularity == ir::Granularity::block) {
    put(out, "block_structure", {source::List{number(format.block[0]), number(format.block[1])}, {}});
  }
  if (!weights) put(out, "dynamic", time_of(format));
  if (!weights && format.scales != ir::ScaleTime::dynamic) put(out, "observer", word("static_minmax"));
  if (format.scale_type == "e8m0") put(out, "scale_dtype", word("torch.uint8"));
  if (format.scale_type == "e4m3") put(out, "scale_dtype", word("torch.float8_e4m3fn"));
  if (!format.order.empty()) put(out, "actorder", word(format.order));
  return {std::move(out), {}};
}

namespace {

Value entry_of(const NameSelector& selector) {
  return word(selector.name.empty() ? "re:" + regex_of(selector) : selector.name);
}

source::List entries_of(const std::vector<NameSelector>& selectors) {
  source::List out;
  for (const NameSelector& selector : selectors) out.push_back(entry_of(selector));
  return out;
}

}  // namespace

WrittenGroups written_groups(const GroupedOutcome& outcome) {
  WrittenGroups out;
  for (std::size_t at = 0; at < outcome.groups.size(); ++at) {
    const ModuleGroup& group = outcome.groups[at];
    const bool by_class = at == 0 && group.linear;
    source::Map written;
    put(written, "targets", {by_class ? source::List{word("Linear")} : entries_of(group.selectors), {}});
    put(written, "weights", arguments_of(group.scheme.weights.front(), true));
    if (!group.scheme.inputs.empty()) {
      put(written, "input_activations", arguments_of(group.scheme.inputs.front(), false));
    }
    if (by_class) out.ignored = entries_of(outcome.plain.selectors);
    put(out.groups, fmt::format("group_{}", at), {std::move(written), {}});
  }
  if (outcome.cache) out.cache = arguments_of(*outcome.cache, false);
  return out;
}

ir::Scheme preset_scheme(const std::string& name) {
  ir::Scheme out = scheme_of(complete_group(name, {source::List{word("Linear")}, {}}));
  for (auto* formats : {&out.weights, &out.inputs}) {
    for (ir::TensorFormat& format : *formats) format.observer.clear();
  }
  return out;
}

}  // namespace sparsecfg::dialect::schemes
