#include "dialect/schemes/norms.h"

#include <fmt/format.h>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/schemes/codes.h"

namespace sparsecfg::dialect::schemes {

DIAGNOSTIC(LC834, entry_matches_only_norms, silent_warning, (Text, Text),
           "`{}` in `ignore` matches only norms, such as `{}`",
           "Norms get no scheme, so the entry keeps no layer. A pattern such as `re:.*attention.*` is found in "
           "`post_attention_layernorm`, while the layers of the attention are in `self_attn`.",
           "delete the entry, or write a pattern for the layers to keep")

// Returns the first of the modules that an entry matches if all of them are norms; null otherwise.
static const model::Module* first_of_norms(std::string_view entry, std::span<const model::Module> modules) {
  const model::Matcher matcher = matcher_of(std::string(entry));
  const model::Module* first = nullptr;
  for (const model::Module& module : modules) {
    if (!matcher.takes(module)) continue;
    if (module.type.find("Norm") == std::string::npos) return nullptr;
    if (first == nullptr) first = &module;
  }
  return first;
}

static bool names_norms(std::string_view entry) {
  const std::string lower = base::to_lower(entry);
  return lower.find("norm") != std::string::npos || lower.find("ln") != std::string::npos;
}

bool report_only_norms(const Entry& entry, std::span<const model::Module> modules, diag::Sink& sink) {
  if (names_norms(entry.text) || fault_of(entry.text)) return false;
  const model::Module* norm = first_of_norms(entry.text, modules);
  if (norm == nullptr) return false;
  auto& report = sink.report(diag::entry_matches_only_norms, entry.span, entry.text, norm->name);
  if (const auto meant = entry_for_layers(modules, entry.text)) {
    report.with_help(fmt::format("write `{}`", *meant)).with_fix(diag::Fix::unsafe().content(entry.span, *meant));
  }
  return true;
}

}  // namespace sparsecfg::dialect::schemes
