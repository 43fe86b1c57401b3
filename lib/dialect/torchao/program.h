#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/tree.h"
#include "script/trace.h"
#include "source/source_file.h"
#include "source/span.h"
#include "source/value.h"

// What a script does with a model around a call of `quantize_`. The document of the call has it beside the arguments.
namespace sparsecfg::dialect::torchao {

// A call of `quantize_` with the same model.
struct OtherCall {
  source::Value arguments;  // without the model
  source::Span place;       // of the whole call
};

struct Program {
  source::Located<std::string> type{};  // of the parameters, if the script states it: "float16"
  source::Span compiled{};             // of the call of `torch.compile` whose result is the model; empty: there is none
  source::Located<std::string> use{};  // the method of the result of the call that the script calls
  // True if the model comes from `from_pretrained`, and only known calls get it before this one.
  bool is_loaded = false;
  std::vector<OtherCall> before{};
  bool converts_later = false;  // true if a later call has the step `convert`, or may have it
};

// Returns the facts about a call of a script; null if there are none.
[[nodiscard]] script::Ref program_around(const script::Trace& trace, const script::Ref& call);

// Returns the facts in a document.
[[nodiscard]] Program program_of(const source::Value& root);

// Returns true if a statement has certainly run when another one runs: it precedes the other one, and every block that
// contains it contains the other one, too.
[[nodiscard]] bool always_before(const python::Script& script, source::Span first, source::Span second);

}  // namespace sparsecfg::dialect::torchao
