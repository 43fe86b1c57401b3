#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/read.h"
#include "dialect/quantizers/calls.h"
#include "script/trace.h"
#include "script/value.h"

// The objects that a script passes to AutoRound (docs/semantics/autoround.md#a7-1).
namespace sparsecfg::dialect::autoround {

DIAGNOSTIC(AR134, autoround_needs_tokenizer, error, (), "a loaded model needs a `tokenizer`",
           "AutoRound loads the tokenizer only if it also loads the model. It stops with ValueError, also if it needs "
           "no data.",
           "write `AutoRound(model, tokenizer, ...)`")

DIAGNOSTIC(
    AR135, autoround_needs_name_of_model, error, (), "`model_free=True` needs the name or folder of a model",
    "The path without a model reads the files of the checkpoint. AutoRound stops with ValueError at a loaded model.",
    "delete `model_free=True`, or pass the name of the model")

// Returns the name or folder of a language model that the script has loaded; empty if it is not known.
static std::string loaded_language_model(const script::Value* model) {
  constexpr std::string_view kLoads = ".from_pretrained";
  if (model == nullptr || model->kind != script::Value::Kind::object || !model->path.ends_with(kLoads)) return {};
  const std::string_view owner =
      base::last_part(std::string_view(model->path).substr(0, model->path.size() - kLoads.size()));
  if (owner != "AutoModelForCausalLM" && !owner.ends_with("ForCausalLM")) return {};
  const script::Ref argument = model->argument("pretrained_model_name_or_path", 0);
  const std::string* name = script::whole_string(argument);
  return name == nullptr ? "NAME" : *name;
}

static void check_objects(const script::Value& call, diag::Sink& sink) {
  if (call.open || call.argument("**") != nullptr) return;
  const script::Ref model = call.argument("model", 0);
  const std::string name = loaded_language_model(model.get());
  if (name.empty()) return;
  if (const script::Ref free = call.argument("model_free"); script::is_true(free)) {
    sink.report(diag::autoround_needs_name_of_model, model->span)
        .with_label(free->span, "reads files")
        .with_help(fmt::format("write `AutoRound(\"{}\", ...)`, or delete `model_free=True`", base::printable(name)));
    return;
  }
  const script::Ref tokenizer = call.argument("tokenizer", 1);
  if (tokenizer != nullptr && !script::is_none(*tokenizer)) return;
  sink.report(diag::autoround_needs_tokenizer, call.name_span)
      .with_help(
          fmt::format("write `AutoRound(model, tokenizer, ...)`, or `AutoRound(\"{}\", ...)`", base::printable(name)));
}

// The lists of the trace have the objects as they are constructed. A method of an object may change its arguments.
void check_script(const script::Trace& trace, const ReadOptions& /*options*/, diag::Sink& sink) {
  std::set<source::Span> seen;
  for (const std::vector<script::Ref>* list : {&trace.lists, &trace.objects}) {
    for (const script::Ref& call : *list) {
      if (quantizers::find_callable(callables(), *call) == nullptr || !seen.insert(call->span).second) continue;
      check_objects(*call, sink);
    }
  }
}

}  // namespace sparsecfg::dialect::autoround
