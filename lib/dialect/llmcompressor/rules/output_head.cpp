#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/schemes/ignoring.h"
#include "dialect/words.h"

// Checks that the output head of a language model is not quantized, because most runtimes require that.
namespace sparsecfg::dialect::llmcompressor {

using schemes::names_head;

constexpr std::string_view kUsualHead = "lm_head";

// Returns true if a target is the name of the head. Then quantizing it is intended.
static bool takes_head(const Entry& target) {
  return target.text == "Linear" ||
         (is_pattern(target.text) && !names_head(target.text) && matcher_of(target.text).takes("lm_head"));
}

// Returns true if the recipe names the head of any family, so its author considered it.
static bool ignores_head(const Modifier& modifier) {
  static constexpr std::string_view kNames[] = {"lm_head", "model.lm_head", "language_model.lm_head"};
  return std::ranges::any_of(modifier.ignore(), [](const Entry& entry) {
    const model::Matcher ignored = matcher_of(entry.text);
    const auto takes = [&](std::string_view head) { return ignored.takes(head); };
    const bool other = names_head(entry.text) && entry.text.find(kUsualHead) == std::string::npos;
    return entry.text == "Linear" || entry.text.ends_with(".lm_head") || std::ranges::any_of(kNames, takes) || other;
  });
}

// Returns true for a misspelled name of the head. It is reported itself, and that the head is quantized is its
// consequence.
static bool means_head(const Entry& entry) {
  const auto meant = meant_by(entry.text);
  return meant && meant->text.find("lm_head") != std::string::npos;
}

// Returns the name of the head that is not ignored, the usual name if the model is unknown, or nullopt.
static std::optional<std::string> head_left(const Modifier& modifier, const Modules* modules) {
  if (std::ranges::any_of(modifier.ignore(), means_head)) {
    return std::nullopt;
  }
  if (modules == nullptr) {
    return ignores_head(modifier) ? std::nullopt : std::optional<std::string>(kUsualHead);
  }
  const model::Matcher ignored = matcher_of(modifier.ignore());
  const auto found = std::ranges::find_if(*modules, [&](const model::Module& module) {
    return takes_scheme(module) && names_head(base::last_part(module.name)) && !ignored.takes(module);
  });
  return found == modules->end() ? std::nullopt : std::optional(found->name);
}

// Returns the place of an entry of `ignore` that was meant to be the head, and is reported itself.
static source::Span meant_for_head(const Modifier& modifier, const Modules* modules, std::string_view head) {
  if (modules == nullptr) return {};
  return schemes::entry_meant_for(modifier.ignore(), *modules, head).value_or(source::Span());
}

// Reports globs in `ignore`, which are compared as names. Returns true if one of them means the head.
static bool report_globs(const Context& context, const Modifier& modifier) {
  bool means_head = false;
  for (const Entry& entry : modifier.ignore()) {
    const std::string glob = is_pattern(entry.text) ? "" : base::regex_of_glob(entry.text);
    if (glob.empty()) continue;
    const std::string meant = "re:" + glob;
    context.sink.report(diag::ignore_prefix, entry.span, entry.text, meant)
        .with_caret("a glob, which is compared as a name")
        .with_fix(diag::Fix::unsafe().content(entry.span, meant));
    means_head = means_head || matcher_of(meant).takes("lm_head");
  }
  return means_head;
}

// Returns true if an unknown field was probably meant as `ignore`.
static bool misspells_ignore(const Modifier& modifier) {
  static constexpr std::string_view kIgnore[] = {"ignore"};
  return std::ranges::any_of(modifier.fields, [](const Field& field) {
    return field.spec == nullptr && meant_by(Word::Place::field, "", field.name, kIgnore, "").name;
  });
}

DIAGNOSTIC(LC215, lm_head_quantized, warning, (Text), "`{}` also matches the output head",
           "Most language models end with a Linear layer `lm_head`. Quantizing it reduces accuracy, and most runtimes "
           "do not load it. For a recipe file without a model, this is an info: other models have no such layer.",
           "add `lm_head` to `ignore`")

void check_output_head(const Context& context, const Modifier& modifier, const Quantization& quantization,
                       const Modules* modules, bool called) {
  const Field* given = quantization.ignore.field();
  if (report_globs(context, modifier) || quantization.ignore.rejected() || misspells_ignore(modifier)) return;
  const std::optional<std::string> head = head_left(modifier, modules);
  if (!head) return;
  for (const Group& group : quantization.groups) {
    const auto target = std::ranges::find_if(group.targets, takes_head);
    if (!group.is_empty() && target != group.targets.end()) {
      auto& report = context.sink.report(diag::lm_head_quantized, target->span, target->text)
                         .not_beside(diag::tied_head)
                         .not_beside(diag::awq_old_fields);
      if (modules == nullptr && !called) report.with_severity(diag::Severity::info);
      report.with_cause(meant_for_head(modifier, modules, *head));
      schemes::offer_to_ignore(report, *head, modifier.spec->name,
                               given == nullptr ? std::nullopt : std::optional(given->value.span),
                               modifier.fields.empty() ? std::nullopt : std::optional(modifier.fields.back().key));
      return;
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
