#include "python/imported_names.h"

#include <fmt/format.h>

namespace sparsecfg::python {

// `import a.b` also defines `a`.
static void add_module(const Name& name, ImportedNames& out) {
  if (!name.alias.empty()) return out.push_back({name.text, name.alias});
  for (std::size_t dot = name.text.find('.'); dot != std::string::npos; dot = name.text.find('.', dot + 1)) {
    out.push_back({name.text.substr(0, dot), name.text.substr(0, dot)});
  }
  out.push_back({name.text, name.text});
}

static void add_names(const std::vector<Statement>& statements, ImportedNames& out) {
  for (const Statement& each : statements) {
    for (const Name& name : each.names) {
      if (each.kind == Statement::Kind::import) add_module(name, out);
      if (each.kind != Statement::Kind::import_from) continue;
      out.push_back({fmt::format("{}.{}", each.text, name.text), name.alias.empty() ? name.text : name.alias});
    }
    for (const auto* block : {&each.body, &each.clauses, &each.otherwise, &each.last}) add_names(*block, out);
  }
}

ImportedNames imported_names(std::span<const Script> scripts) {
  ImportedNames out;
  for (const Script& script : scripts) add_names(script.statements, out);
  return out;
}

static ImportedNames names_in(std::string_view text) {
  const Script script = parse_script(text);
  return imported_names({&script, 1});
}

const ImportedNames& imported_names(const source::SourceFile& file) { return *file.read_once(names_in); }

}  // namespace sparsecfg::python
