#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/objects.h"
#include "dialect/record/spec.h"
#include "ir/recipe.h"
#include "source/source_file.h"
#include "source/value.h"

// Configurations that a script constructs with calls of classes.
namespace sparsecfg::dialect::quantizers {

// A class or function whose arguments are a configuration.
struct Callable {
  std::string_view name;
  std::string_view package;                      // the first part of its path: "gptqmodel"
  std::span<const std::string_view> positional;  // names of the first parameters
};

// Returns the row of an object that a script constructs, or null. A name without an import counts, because documents
// leave imports out.
[[nodiscard]] const Callable* find_callable(std::span<const Callable> rows, const script::Value& object);

// Returns true for a document of a call: a mapping with an entry for one of the rows.
[[nodiscard]] bool is_call(const doc::Document& document, std::span<const Callable> rows);

// Returns the document of one call: a mapping from its name to its arguments. Parameters that the row does not name
// are left out. `program`: what the script does around the call, as a further entry; null if nothing is known.
[[nodiscard]] doc::Document document_of(const Callable& row, const script::Value& call,
                                        script::Ref (*plain)(const script::Value&), source::Span root,
                                        base::Budget& budget, const script::Value* program = nullptr);

// The key of that entry.
inline constexpr std::string_view kProgramKey = "program";

// Returns the origin of a configuration, with its fields as written.
[[nodiscard]] ir::Origin origin_of(std::string_view name, source::Span span, const source::Value& config);

// Returns the origins of the actions of a recipe, for Objects::origins.
[[nodiscard]] std::vector<ir::Origin> origins_of_actions(const ir::Recipe& recipe, const Constructed& constructed);

// Functions for the parts of `Objects` that a quantizer does not need.
[[nodiscard]] std::vector<script::Ref> one_element(const script::Ref& object, const ReadOptions&, base::Budget&);
[[nodiscard]] script::Ref no_constant(std::string_view path, source::Span span);
void check_no_elements(const std::vector<script::Ref>& elements, bool together, diag::Sink& sink);
void check_no_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

// `Objects::makes` and `Objects::document` of a quantizer whose configuration is one call of the classes in `kRows`.
template <const auto& kRows>
[[nodiscard]] bool makes_call(const script::Value& object) {
  return find_callable(kRows, object) != nullptr;
}

template <const auto& kRows, script::Ref (*kPlain)(const script::Value&)>
[[nodiscard]] doc::Document document_of_call(const std::vector<script::Ref>& elements, source::Span root,
                                             base::Budget& budget) {
  const script::Value& call = *elements.front();
  const script::Value* program = elements.size() > 1 ? elements.back().get() : nullptr;  // see Objects::program
  return document_of(*find_callable(kRows, call), call, kPlain, root, budget, program);
}

// Returns the objects of such a quantizer. The parameters are the fields of `Objects` with these names.
template <const auto& kRows, script::Ref (*kPlain)(const script::Value&)>
[[nodiscard]] constexpr Objects objects_of_calls(std::span<const std::string_view> words,
                                                 decltype(Objects::keeps_arguments) keeps_arguments,
                                                 std::span<const ModelCall> model_calls) {
  return {.words = words,
          .calls = {},
          .makes = makes_call<kRows>,
          .elements = one_element,
          .keeps_arguments = keeps_arguments,
          .constant = no_constant,
          .plain = kPlain,
          .document = document_of_call<kRows, kPlain>,
          .check_elements = check_no_elements,
          .check_script = check_no_script,
          .origins = origins_of_actions,
          .model_calls = model_calls};
}

// Returns true if a value or a part of it is known only after running the script. `unknown` has the places of unknown
// values, which may be outside of the place of a mapping that contains them.
[[nodiscard]] bool has_unknown(const source::Value& value, const std::set<source::Span>& unknown);

// Returns the fields of these names as settings of a method, with the defaults of absent ones. A value that is not
// known is compared by its text in the file.
[[nodiscard]] std::vector<ir::MethodSetting> settings_of(const source::Value& values, const ClassSpec& spec,
                                                         std::span<const std::string_view> names,
                                                         const source::SourceFile& file,
                                                         const std::set<source::Span>& unknown);

// A configuration in a file or a script: the entry of a mapping whose key is the name of a call, or the mapping itself.
// Only what the script does around the call may follow.
struct Configuration {
  std::string_view call;  // empty for a saved file
  source::Span name;      // of the call, or of the file
  source::Value value;
};

[[nodiscard]] Configuration configuration_of(const source::Value& root, std::span<const Callable> rows);

}  // namespace sparsecfg::dialect::quantizers
