#include "dialect/torchao/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/short_line.h"

namespace sparsecfg::dialect::torchao {

DIAGNOSTIC(TA222, torchao_result_is_none, error, (), "`quantize_` changes the model in place and returns None",
           "The next use of the result raises an AttributeError. The model that the call got is quantized.",
           "use the model that `quantize_` gets, and not its result")

// Returns the place of `name = ` before a call, if the call is the whole value of an assignment; otherwise empty.
static source::Span assignment_before(const source::SourceFile& file, source::Span call) {
  const std::string_view before = file.text().substr(0, call.begin);
  const std::size_t end = before.rfind('\n');
  const std::size_t line = end == std::string_view::npos ? 0 : end + 1;
  const std::size_t begin = before.find_first_not_of(" \t", line);
  if (begin == std::string_view::npos) return {};
  const std::string_view target = before.substr(begin);
  const std::size_t sign = target.rfind('=');
  const auto is_target = [](char letter) { return base::is_name_letter(letter) || letter == '.'; };
  if (sign == std::string_view::npos) return {};
  const std::string_view name = base::trim(target.substr(0, sign));
  const bool plain =
      !name.empty() && std::ranges::all_of(name, is_target) && base::trim(target.substr(sign + 1)).empty();
  return plain ? source::Span{static_cast<std::uint32_t>(begin), call.begin} : source::Span();
}

// Returns the first argument of a call as it is written.
static std::string_view first_argument(std::string_view call) {
  constexpr std::string_view kName = "model=";
  const std::size_t begin = call.find('(');
  if (begin == std::string_view::npos) return {};
  std::string_view out = base::trim(call.substr(begin + 1, call.find_first_of(",)", begin) - begin - 1));
  if (out.starts_with(kName)) out.remove_prefix(kName.size());
  return out;
}

void report_use(const Context& context, const Program& program, const source::Value& call, source::Span whole) {
  constexpr std::size_t kMost = 100;
  auto& report = context.sink.report(diag::torchao_result_is_none, {whole.begin, call.span.end});
  report.with_label(program.use.span, "None has no such attribute");
  const source::Span assignment = assignment_before(context.file, whole);
  if (assignment.empty()) return;
  const std::string_view text = context.file.text(whole);
  const std::string_view target = base::trim(context.file.text(assignment));
  const std::string_view name = base::trim(target.substr(0, target.size() - 1));
  const std::string_view own = first_argument(text);
  const std::string statement =
      is_short_line(text, kMost) ? fmt::format("write `{}`", text) : std::string("write the call");
  if (name != own) {
    const bool is_name = std::ranges::all_of(own, base::is_name_letter);
    report.with_help(fmt::format("{} as a statement, and use {} in place of `{}`", statement,
                                 is_name ? fmt::format("`{}`", own) : std::string("the model"), name));
    return;
  }
  report.with_help(fmt::format("{} without `{}`", statement, target))
      .with_fix(diag::Fix::unsafe().replace(assignment, ""));
}

}  // namespace sparsecfg::dialect::torchao
