#include "match/runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "match/matching.h"

namespace sparsecfg::match {

static std::string answer_of(const ir::RuntimeLayer& layer) {
  return layer.group.empty() ? "" : fmt::format("{}: {}", base::printable(layer.group), layer.scheme);
}

std::string text_of(const ir::RuntimeLayers& layers, bool all) {
  std::vector<NameGroup> names;
  for (const ir::RuntimeLayer& layer : layers.layers)
    names.push_back({base::printable(layer.name), answer_of(layer), ""});
  return listed_names(fmt::format("layers of {}", layers.runtime), "layers", std::move(names), all);
}

using Json = nlohmann::ordered_json;

std::string json_of(const ir::RuntimeLayers& layers) {
  Json out = {{"format", 1}, {"runtime", layers.runtime}, {"layers", Json::array()}};
  for (const ir::RuntimeLayer& layer : layers.layers) {
    Json row = {{"name", layer.name}, {"class", layer.type}, {"modules", layer.modules}};
    row["group"] = layer.group.empty() ? Json() : Json(layer.group);
    row["scheme"] = layer.group.empty() ? Json() : Json(layer.scheme);
    out["layers"].push_back(std::move(row));
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::optional<std::string> explain(const ir::RuntimeLayers& layers, std::string_view name) {
  const auto found = std::ranges::find_if(layers.layers, [&](const ir::RuntimeLayer& layer) {
    return layer.name == name || std::ranges::find(layer.modules, name) != layer.modules.end();
  });
  if (found == layers.layers.end()) {
    return std::nullopt;
  }
  std::string out = fmt::format("{}\n", base::printable(name));
  if (found->name != name) out += fmt::format("  part of `{}`\n", base::printable(found->name));
  const std::string answer = answer_of(*found);
  return out + fmt::format("  {}: {}\n", layers.runtime, answer.empty() ? "not quantized" : answer);
}

}  // namespace sparsecfg::match
