#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/speedup.h"

// Reports `ModelSpeedup` on a model that a pruner of the script still wraps.
namespace sparsecfg::dialect::nni {

DIAGNOSTIC(SP836, speedup_of_wrapped_model, warning, (Text),
           "`ModelSpeedup` gets a model that is still wrapped by `{}`",
           "A pruner replaces the layers of the model by wrappers, which contain the original layers and the masks. "
           "`ModelSpeedup` requires the model without them, and the masks that `compress` returns. NNI 3.0 calls the "
           "method `unwrap_model()`, NNI 1.x and 2.x call it `_unwrap_model()`.",
           "call `unwrap_model()` of the pruner before this line")

// Returns the text in front of `.compress()`; empty if it is not the name of a variable or an attribute.
static std::string_view pruner_in(std::string_view call) {
  const std::string_view name = call.substr(0, std::min(call.find(".compress"), call.size()));
  return name.size() == call.size() || name.find_first_of("([\n") != std::string_view::npos ? std::string_view() : name;
}

static std::string_view line_at(const source::SourceFile& file, std::uint32_t offset) {
  return file.text(file.line_span(file.position(offset).line));
}

static std::size_t indentation_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Returns true if two places are in the same function, judged only by the text: no line between them begins a
// function, and the second is not outside the block of the first.
static bool is_in_same_function(const source::SourceFile& file, source::Span first, source::Span second) {
  if (file.cell_at(second.begin) != nullptr) return true;  // its lines are strings of JSON
  if (second.begin < first.begin) return false;
  const std::uint32_t last = file.position(second.begin).line;
  for (std::uint32_t at = file.position(first.begin).line; at < last; ++at) {
    const std::string_view line = file.text(file.line_span(at));
    const std::string_view text = line.substr(indentation_of(line));
    if (text.starts_with("def ") || text.starts_with("class ") || text.starts_with("async def ")) return false;
  }
  return indentation_of(line_at(file, first.begin)) <= indentation_of(line_at(file, second.begin));
}

void check_wrapped(const WrappedSpeedup& call, const Context& context) {
  if (call.speedup.empty()) return;
  auto& report = context.sink.report(diag::speedup_of_wrapped_model, call.speedup, call.pruner.value);
  report.with_label(call.pruner.span, "wraps the layers");
  const std::string_view name = pruner_in(context.file.text(call.compress));
  const std::string_view method = release_of(context.options) == Release::v3_0 ? "unwrap_model" : "_unwrap_model";
  if (name.empty()) {
    report.with_help(fmt::format("call `{}()` of the pruner before this line", method));
  } else if (is_in_same_function(context.file, call.compress, call.speedup)) {
    report.with_help(fmt::format("write `{}.{}()` before this line", name, method));
  } else {
    report.with_help(fmt::format("write `{}.{}()` after `{}` in line {}", name, method,
                                 base::trim(line_at(context.file, call.compress.begin)),
                                 context.file.position(call.compress.begin).line));
  }
}

}  // namespace sparsecfg::dialect::nni
