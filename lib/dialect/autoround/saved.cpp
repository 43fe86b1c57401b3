#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/config.h"

// The saved configuration (docs/semantics/autoround.md#c1-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(AR106, autoround_transformers_rejects, error, (Text, Text), "transformers rejects `{}`: {}",
           "transformers checks the method, the number of bits and the size of groups before AutoRound loads the "
           "model.",
           "write `quant_method: auto-round`, 2, 3, 4 or 8 bits, and a group size of -1 or more than 0")

static void refuse(const Context& context, const Value& config, std::string_view key, std::string_view why,
                   std::string help) {
  const Value* value = config.find(key);
  context.sink.report(diag::autoround_transformers_rejects, value == nullptr ? config.span : value->span, key, why)
      .with_help(std::move(help));
}

// Returns true if transformers accepts the values.
static bool check_saved(const Context& context, const Value& config) {
  const Value* method = config.find("quant_method");
  const std::string name = method == nullptr ? "None" : source::python_str(*method);
  const auto names = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (!names("auto-round") && !names("gptq") && !names("awq")) {
    refuse(context, config, "quant_method", fmt::format("`{}` is not a method", name),
           "write `quant_method: auto-round`");
    return false;
  }
  const Value* bits = config.find("bits");
  const double number = bits == nullptr ? 4 : bits->number().value_or(0);
  if (number != 2 && number != 3 && number != 4 && number != 8) {
    refuse(context, config, "bits", fmt::format("{} is not 2, 3, 4 or 8", source::python_str(*bits)),
           "write `bits: 4`");
    return false;
  }
  const Value* group = config.find("group_size");
  const auto size = group == nullptr                        ? std::optional(128.0)
                    : group->get<std::int64_t>() != nullptr ? group->number()
                                                            : std::nullopt;
  if (size && (*size == -1 || *size > 0)) return true;
  refuse(context, config, "group_size", fmt::format("{} is neither -1 nor more than 0", source::python_str(*group)),
         "write `group_size: 128`");
  return false;
}

static void add_names(const Value& value, std::vector<Block>& out) {
  if (const auto* text = value.get<std::string>()) {
    for (const std::string_view part : base::parts_of(*text, ','))
      out.push_back({std::string(part), value.span, false});
  }
  const auto* list = value.get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    if (const auto* text = (*list)[at].get<std::string>()) {
      out.push_back({*text, (*list)[at].span, false});
    } else {
      add_names((*list)[at], out);
    }
  }
}

static void read_blocks(const Value& config, Saved& out) {
  for (const std::string_view key : {"block_name_to_quantize", "to_quant_block_names"}) {
    const Value* names = config.given(key);
    const auto* list = names == nullptr ? nullptr : names->get<source::List>();
    if (names == nullptr || (list != nullptr && list->empty())) continue;
    out.blocks.emplace();
    out.nested_blocks = list != nullptr && list->front().get<source::List>() != nullptr;
    return add_names(*names, *out.blocks);
  }
}

static void read_entries(const Value& extra, Saved& out) {
  const auto* map = extra.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto& [key, value] = (*map)[at];
    const auto* fields = value.get<source::Map>();
    if (fields == nullptr) continue;
    out.entries.push_back({source::python_str(key), key.span, fields_of(value)});
  }
}

std::optional<Saved> read_saved(const Context& context, const Value& config, bool by_vllm) {
  Saved out;
  out.span = config.span;
  const Value* extra = by_vllm ? config.given("extra_config") : config.find("extra_config");
  if (extra != nullptr && extra->get<source::Map>() == nullptr) {
    context.sink
        .report(diag::wrong_type, extra->span, "extra_config", "a mapping from names to settings",
                source::describe(*extra))
        .with_help("delete `extra_config`, or write `extra_config: {}`");
    return std::nullopt;
  }
  if (!by_vllm && !check_saved(context, config)) return std::nullopt;
  Fields usual;
  usual.bits = 4;
  usual.group_size = Group{128, {}};
  usual.sym = true;
  usual.data_type = "int";
  out.base = merged(usual, fields_of(config));
  read_blocks(config, out);
  if (extra != nullptr) read_entries(*extra, out);
  std::vector<Block> parts;
  if (const Value* listed = config.given("modules_in_block_to_quantize")) add_names(*listed, parts);
  for (const Block& part : parts) out.parts.push_back(part.text);
  const auto text = [&](std::string_view key) {
    return config.given(key) == nullptr ? std::string() : source::python_str(*config.given(key));
  };
  out.packing_format = text("packing_format");
  out.backend = text("backend");
  return out;
}

}  // namespace sparsecfg::dialect::autoround
