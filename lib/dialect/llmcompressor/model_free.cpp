#include "dialect/llmcompressor/model_free.h"

#include <algorithm>
#include <map>
#include <string>

#include "dialect/llmcompressor/model.h"
#include "dialect/schemes/language.h"
#include "dialect/schemes/operations.h"

namespace sparsecfg::dialect::llmcompressor {

bool has_candidate_weight(const model::Module& module) {
  const bool has_weight = module.shape ? !module.shape->empty() : takes_scheme(module);
  return has_weight && !module.name.ends_with("norm");
}

bool takes_tensor(std::string_view entry, const model::Module& module) {
  return matcher_of(std::string(entry)).takes(std::string_view(module.name));
}

// The rules that leave modules decide first, and then the groups in order.
static ir::Decisions decide_tensors(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                    std::span<const model::Module> modules) {
  std::vector<std::uint32_t> order;
  for (const bool leaves : {true, false}) {
    for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
      if ((selection.rules[at].kind == ir::Rule::Kind::leaves) == leaves) order.push_back(at);
    }
  }
  std::vector<model::Matcher> matchers;
  for (const ir::Rule& rule : selection.rules) matchers.push_back(matcher_of(rule.entry));
  const bool unknown = std::ranges::any_of(selection.rules, &ir::Rule::unknown);
  ir::Decisions out;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  for (const model::Module& module : modules) {
    std::vector<std::uint32_t> matches;
    for (const std::uint32_t at : has_candidate_weight(module) ? order : std::vector<std::uint32_t>()) {
      const ir::Rule& rule = selection.rules[at];
      const bool every = rule.kind != ir::Rule::Kind::leaves && rule.entry == kEveryMatrix;
      if (every || matchers[at].takes(std::string_view(module.name))) matches.push_back(at);
    }
    if (matches.empty()) {
      out.of_modules.push_back(0);
      continue;
    }
    const auto [known, added] = numbers.try_emplace(matches, static_cast<std::uint32_t>(out.entries.size()));
    if (added) {
      const ir::Rule& rule = selection.rules[matches.front()];
      out.entries.push_back({ir::Decisions::Reason::rule, rule.kind, rule.scheme, matches.front(),
                             std::vector(matches.begin() + 1, matches.end()), unknown});
    }
    out.of_modules.push_back(known->second);
  }
  return out;
}

static const ir::Language kTensorLanguage{.name = "llm-compressor, tensors",
                                          .decide = decide_tensors,
                                          .examples = schemes::example_modules,
                                          .stored_bits = schemes::kSchemeLanguage.stored_bits};

std::vector<ir::Operation> tensor_operations(const ir::Origin& origin, const ir::Method& method) {
  std::vector<ir::Operation> out = schemes::scheme_operations(origin, method);
  for (ir::Operation& operation : out) {
    if (auto* assign = std::get_if<ir::Assign>(&operation)) assign->selection.language = &kTensorLanguage;
  }
  return out;
}

}  // namespace sparsecfg::dialect::llmcompressor
