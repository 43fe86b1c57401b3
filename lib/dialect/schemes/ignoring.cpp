#include "dialect/schemes/ignoring.h"

#include <fmt/format.h>

namespace sparsecfg::dialect::schemes {

void offer_to_ignore(diag::Diagnostic& report, std::string_view name, std::string_view modifier,
                     std::optional<source::Span> list, std::optional<source::Span> last_field) {
  if (list) {
    report.with_help(fmt::format("add `{}` to `ignore`", name))
        .with_fix(diag::Fix::unsafe().append(*list, std::string(name)));
  } else if (last_field) {
    const std::string entry = fmt::format("ignore: [{}]", name);
    report.with_help(fmt::format("add `{}` to `{}`", entry, modifier))
        .with_fix(diag::Fix::unsafe().add_entry(*last_field, entry));
  }
}

void advise_to_ignore(diag::Diagnostic& report, const ir::Recipe& recipe, const ir::Origin& modifier,
                      std::string_view layer) {
  report.with_help(fmt::format("add `{}` to `ignore`", layer));
  if (recipe.is_result) {
    return;
  }
  const ir::OriginField* ignored = modifier.find("ignore");
  offer_to_ignore(report, layer, modifier.class_name,
                  ignored == nullptr ? std::nullopt : std::optional(ignored->value.span),
                  modifier.fields.empty() ? std::nullopt : std::optional(modifier.fields.back().key));
}

}  // namespace sparsecfg::dialect::schemes
