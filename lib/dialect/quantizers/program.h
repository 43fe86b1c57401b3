#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "script/trace.h"
#include "script/value.h"
#include "source/span.h"

// The calls of a script before and after its configuration: what it loads, calibrates, changes and saves.
namespace sparsecfg::dialect::quantizers {

// Returns the calls of code that runs, in the order of evaluation. Functions that nothing calls are left out.
[[nodiscard]] std::span<const script::Ref> calls_that_run(const script::Trace& trace);

// Returns true if `first`, which is earlier in calls_that_run(), has run whenever `second` runs: no condition, loop or
// exception around it can have skipped it.
[[nodiscard]] bool runs_before(const script::Trace& trace, const script::Value& first, const script::Value& second);

// Returns true for `object.name(...)`, where a call that is known returned the object: its `owner`.
[[nodiscard]] bool is_method(const script::Value& call, std::string_view name);

// Returns true for a call of any method of an object.
[[nodiscard]] bool is_of(const script::Value& call, const script::Value& object);

// Returns true if a call gets an object as an argument.
[[nodiscard]] bool receives(const script::Value& call, const script::Value& object);

// Returns the text of a script at a place; empty for a place in another file.
[[nodiscard]] std::string_view text_at(const script::Trace& trace, source::Span span);

// Returns the place of a named argument in a call: its value, or the name of the constant that has this value. Returns
// the place of the argument's name for other expressions, and an empty place without the argument.
[[nodiscard]] source::Span place_of_argument(const script::Trace& trace, const script::Value& call,
                                             std::string_view name);

// Returns the first call of this method of an object after `place` in calls_that_run(); null if there is none.
[[nodiscard]] const script::Value* method_after(std::span<const script::Ref> calls, std::size_t place,
                                                const script::Value& object, std::string_view name);

// A type of parameters that a script states.
struct StatedType {
  std::string name;  // as in torch: "bfloat16"
  source::Span span;
};

// Returns the type of the parameters of a model when `call` gets it: that of the last conversion (`.half()`,
// `.to(torch.bfloat16)`), or the argument `dtype` or `torch_dtype` of `from_pretrained`. Returns nullopt if the script
// does not state it, because the usual type depends on the model and on the release.
[[nodiscard]] std::optional<StatedType> parameter_type(const script::Trace& trace, const script::Value& model,
                                                       const script::Value& call);

}  // namespace sparsecfg::dialect::quantizers
