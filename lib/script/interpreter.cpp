#include "script/interpreter.h"

#include "base/limits.h"
#include "script/cycles.h"

namespace sparsecfg::script {

// The environment of the process is not known, except for what the script sets.
static Ref new_environment() {
  Ref out = container(Value::Kind::dictionary, {});
  out->role = Value::Role::environment;
  out->open = true;
  out->text = "it depends on `os.environ`";
  return out;
}

Interpreter::Interpreter(std::string_view text, const Library& library, ModulePlaces& files)
    : text_(text),
      library_(library),
      budget_({.steps = limits::kMaxScriptSteps, .bytes = limits::kMaxScriptBytes, .depth = limits::kMaxScriptNesting}),
      heap_(budget_),
      module_places_(files),
      module_(heap_.new_scope()),
      scope_(module_),
      environment_(new_environment()) {}

Trace Interpreter::run(std::span<const python::Script> scripts) {
  for (const python::Script& script : scripts) {
    if (!script.too_deep.empty()) {
      trace_.limited = script.too_deep;
      trace_.limit = "the script is nested too deeply to follow";
    }
    if (!script.too_long.empty()) {
      trace_.limited = script.too_long;
      trace_.limit = "the script is too long to follow from here on";
    }
    block(script.statements);
    raised_ = false;
  }
  trace_.reached = trace_.objects.size();
  trace_.writes = writes_;
  trace_.text = text_;
  trace_.imported = python::imported_names(scripts);
  uncalled_ = true;
  follow_uncalled();
  if (budget_.exceeded() != base::Budget::Limit::none) {
    limit({});
    give_up();
  }
  break_cycles(heap_.scopes(), heap_.changed(), trace_);
  return std::move(trace_);
}

Trace follow(const Source& source, const Library& library, ModulePlaces& files) {
  return Interpreter(source.text, library, files).run(source.scripts);
}

Trace follow(const Source& source, const Library& library) {
  ModulePlaces files(source.text.size());
  return follow(source, library, files);
}

}  // namespace sparsecfg::script
