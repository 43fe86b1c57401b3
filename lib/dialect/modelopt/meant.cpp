#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "dialect/modelopt/library.h"
#include "dialect/modelopt/read.h"
#include "dialect/schemes/meant.h"

// Constants of ModelOpt for the names of formats in other systems.
namespace sparsecfg::dialect::modelopt {

// Returns the scheme that the dictionary of a constant assigns to all layers; nullopt if the layers differ, or if the
// dictionary also quantizes the cache or requires another calibration than the usual one.
static std::optional<ir::Scheme> scheme_of_constant(const Constant& constant) {
  const source::SourceFile file{"", ""};
  const doc::Document document;
  const ReadOptions options;
  diag::Sink sink;
  const Config config = read_config({file, document, options, sink}, preset(constant.preset));
  const auto* algorithm = config.algorithm.get<std::string>();
  const bool usual = config.algorithm.is_null() || (algorithm != nullptr && *algorithm == "max");
  const ir::Action action = lower(config, std::nullopt);
  const auto* assign = action.operations.size() == 1 ? std::get_if<ir::Assign>(&action.operations.front()) : nullptr;
  if (!usual || assign == nullptr || !assign->method.settings.empty()) return std::nullopt;
  const std::vector<model::Module> layers{{"model.layers.0.self_attn.q_proj", "Linear", {}},
                                          {"model.layers.0.self_attn.o_proj", "Linear", {}},
                                          {"model.layers.0.mlp.down_proj", "Linear", {}}};
  const ir::Decisions found = assign->selection.language->decide(assign->selection, assign->schemes, layers);
  std::optional<ir::Scheme> out;
  for (const std::uint32_t at : found.of_modules) {
    const ir::Decisions::Decision& decision = found.entries[at];
    if (decision.kind != ir::Rule::Kind::assigns) return std::nullopt;
    if (out && !(*out == found.schemes[decision.scheme])) return std::nullopt;
    out = found.schemes[decision.scheme];
  }
  return out;
}

// The schemes of all constants that have one.
static const std::map<std::string_view, ir::Scheme>& schemes_of_constants() {
  static const std::map<std::string_view, ir::Scheme> kSchemes = [] {
    std::map<std::string_view, ir::Scheme> out;
    for (const Constant& constant : constants()) {
      if (auto scheme = scheme_of_constant(constant)) out.emplace(constant.name, *std::move(scheme));
    }
    return out;
  }();
  return kSchemes;
}

std::string_view constant_meant_by(const std::string& word) {
  const auto own = std::ranges::find(constants(), base::to_upper(word), &Constant::name);
  if (own != constants().end()) return own->name;
  auto scheme = schemes::preset_scheme_named(word);
  if (const auto named = scheme ? std::nullopt : schemes::scheme_named(word)) scheme = named->scheme;
  if (!scheme) return {};
  for (const auto& [name, each] : schemes_of_constants()) {
    if (each == *scheme) return name;
  }
  return {};
}

}  // namespace sparsecfg::dialect::modelopt
