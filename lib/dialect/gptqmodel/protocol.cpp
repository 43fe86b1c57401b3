#include <optional>
#include <utility>

#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/config.h"

// The form of a configuration with `version: 2` (docs/semantics/gptqmodel.md#a1-11).
namespace sparsecfg::dialect::gptqmodel {

using source::Value;

DIAGNOSTIC(GQ107, gptq_protocol_not_compiled, error, (Text), "GPTQModel cannot compile this protocol: {}",
           "Of files with `version: 2`, GPTQModel supports one stage with one rule that matches `*`. Further entries "
           "of `match` must exclude layers.",
           "write one rule with `match: [\"*\"]` and a `bits` under `weight.quantize`")

static std::nullopt_t refuse(const Context& context, const Value& value, std::string_view why) {
  context.sink.report(diag::gptq_protocol_not_compiled, value.span, why);
  return std::nullopt;
}

// Returns the patterns of a rule: a string is one pattern.
static std::vector<const Value*> patterns_of(const Value* match) {
  std::vector<const Value*> out;
  if (match == nullptr) return out;
  const auto* list = match->get<source::List>();
  if (list == nullptr) return {match};
  for (const Value& each : *list) out.push_back(&each);
  return out;
}

static bool is_text(const Value* value, std::string_view text) {
  const auto* own = value->get<std::string>();
  return own != nullptr && *own == text;
}

// Returns the settings of the only rule as those of a call.
static std::optional<Value> settings_of(const Context& context, const Value& rule) {
  const std::vector<const Value*> patterns = patterns_of(rule.find("match"));
  if (patterns.empty() || !is_text(patterns.front(), "*")) return refuse(context, rule, "the rule does not match `*`");
  source::Map dynamic;
  for (std::size_t at = 1; at < patterns.size(); ++at) {
    const auto* text = patterns[at]->get<std::string>();
    if (text == nullptr || !text->starts_with("-:"))
      return refuse(context, *patterns[at], "an entry of `match` selects layers");
    dynamic.emplace_back(*patterns[at], Value{source::Map(), patterns[at]->span});
  }
  const Value* weight = rule.given("weight");
  const Value* quantize = weight == nullptr ? nullptr : weight->given("quantize");
  const auto* map = quantize == nullptr ? nullptr : quantize->get<source::Map>();
  if (map == nullptr || quantize->find("bits") == nullptr)
    return refuse(context, rule, "`weight.quantize` has no `bits`");
  source::Map settings = *map;
  const Value* exported = weight->given("export");
  const Value* format = exported == nullptr                     ? nullptr
                        : exported->given("variant") != nullptr ? exported->given("variant")
                                                                : exported->given("format");
  if (format != nullptr) settings.emplace_back(Value{std::string("format"), format->span}, *format);
  if (!dynamic.empty())
    settings.emplace_back(Value{std::string("dynamic"), rule.span}, Value{std::move(dynamic), rule.span});
  return Value{std::move(settings), rule.span};
}

std::optional<Config> compile_protocol(const Context& context, const Value& config) {
  const Value* version = config.find("version");
  if (version == nullptr || version->number() != 2) return refuse(context, config, "`version` is not 2");
  const Value* stages = config.given("stages");
  const auto* list = stages == nullptr ? nullptr : stages->get<source::List>();
  if (list == nullptr || list->empty()) return refuse(context, config, "it has no stage");
  if (list->size() > 1) return refuse(context, *stages, "it has several stages");
  const Value* rules = list->front().given("rules");
  const auto* each = rules == nullptr ? nullptr : rules->get<source::List>();
  if (each == nullptr || each->size() != 1)
    return refuse(context, list->front(), "the stage does not have exactly one rule");
  const auto settings = settings_of(context, each->front());
  std::optional<Config> out = settings ? construct(context, *settings, Form::call, config.span) : std::nullopt;
  if (out) out->protocol = true;
  return out;
}

}  // namespace sparsecfg::dialect::gptqmodel
