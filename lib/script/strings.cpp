#include "script/interpreter.h"
#include "script/library/paths.h"
#include "script/text_builder.h"

// f-strings. A string keeps the places of its parts, and has placeholders for unknown values.
namespace sparsecfg::script {

// Appends a hole of an f-string: its value, formatted, or a placeholder.
void Interpreter::format_hole(const Node& part, const Ref& value, TextBuilder& out) {
  std::string_view spec = part.text;
  const bool repr = spec.starts_with("!r");
  if (repr || spec.starts_with("!s")) spec.remove_prefix(2);
  if (spec.starts_with(':')) spec.remove_prefix(1);
  if (spec.find('{') != std::string_view::npos) havoc(words_of(spec), part.span, "it is used in a format");
  if (spec.empty() && !repr) return out.show(value, part.span);
  const auto text = !repr ? format_of(*value, spec) : spec.empty() ? repr_of(*value) : std::nullopt;
  out.inherit(*value);
  if (text) return out.add(*text, part.span);
  touch(value, part.span);
  out.add_hole(part.span);
}

// An unknown value in a hole becomes a placeholder.
Ref Interpreter::format(const Node& node) {
  TextBuilder out(*this, node.span);
  Ref here;  // a path of the folder of the script, at the beginning
  for (const Node& part : node.parts) {
    if (part.kind == Form::string) {
      out.add(*text_of(part));
      continue;
    }
    const Ref value = evaluate(part.parts.front());
    const auto path = &part == &node.parts.front() && part.text.empty() ? path_of(*this, *value) : std::nullopt;
    if (path && path->here) {
      here = value;
    } else {
      format_hole(part, value, out);
    }
  }
  run_escaped(node.span);
  const Ref text = out.take();
  return here == nullptr ? text : operate("+", here, text, node);
}

}  // namespace sparsecfg::script
