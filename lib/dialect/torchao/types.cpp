#include "dialect/torchao/types.h"

#include <fmt/format.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/torchao/applying.h"
#include "dialect/torchao/codes.h"

namespace sparsecfg::dialect::torchao {

DIAGNOSTIC(TA109, torchao_parameter_type, error, (Text, Text, Text),
           "{} requires parameters of type {}, but those of the model are `{}`",
           "The transformation of the first layer raises an AssertionError. Float8 with one scale for each row, the "
           "tiled packing of int4 and MX formats require bfloat16.",
           "load the model with `dtype=torch.bfloat16`")

// Returns the text that states a type in place of another one; empty for an expression that computes it.
static std::string statement_of(std::string_view written, std::string_view type) {
  if (written.starts_with('"') || written.starts_with('\'')) return fmt::format("\"{}\"", type);
  if (written.starts_with("torch.") && written.find('(') == std::string_view::npos)
    return fmt::format("torch.{}", type);
  return {};
}

// Returns the help for a type that a script states as `written`.
static std::string help_for(std::string_view written, std::string_view type) {
  if (const std::string text = statement_of(written, type); !text.empty())
    return fmt::format("write `{}` in place of `{}`", text, written);
  for (const std::string_view method : {".half()", ".float()", ".double()"}) {
    if (written.ends_with(method)) return fmt::format("write `.{}()` in place of `{}`", type, method);
  }
  return {};
}

bool check_parameter_type(const Context& context, const Config& config) {
  const auto required = required_types(config);
  if (!required || context.type.value.empty()) return true;
  if (std::ranges::find(required->types, context.type.value) != required->types.end()) return true;
  const std::string_view type = required->types.front();
  const std::string_view written = context.file.text(context.type.span);
  const std::string text = statement_of(written, type);
  auto& report = context.sink.report(diag::torchao_parameter_type, required->place, required->what,
                                     fmt::format("`{}`", type), context.type.value);
  report.with_label(context.type.span, "the type of the parameters").with_help(help_for(written, type));
  if (!text.empty()) report.with_fix(diag::Fix::unsafe().replace(context.type.span, text));
  return false;
}

}  // namespace sparsecfg::dialect::torchao
