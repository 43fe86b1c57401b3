#include "dialect/quantizers/script_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "python/tree.h"

namespace sparsecfg::dialect::quantizers {

using python::Statement;

namespace {

// A name that an import defines, and the dotted name of its value.
struct Binding {
  std::string origin;
  std::string name;  // `*` for all names of a module
};

// `import a.b` also defines `a`.
void add_module(const python::Name& name, std::vector<Binding>& out) {
  if (!name.alias.empty()) return out.push_back({name.text, name.alias});
  for (std::size_t dot = name.text.find('.'); dot != std::string::npos; dot = name.text.find('.', dot + 1)) {
    out.push_back({name.text.substr(0, dot), name.text.substr(0, dot)});
  }
  out.push_back({name.text, name.text});
}

void add_bindings(const std::vector<Statement>& statements, std::vector<Binding>& out) {
  for (const Statement& each : statements) {
    for (const python::Name& name : each.names) {
      if (each.kind == Statement::Kind::import) add_module(name, out);
      if (each.kind != Statement::Kind::import_from) continue;
      out.push_back({fmt::format("{}.{}", each.text, name.text), name.alias.empty() ? name.text : name.alias});
    }
    for (const auto* block : {&each.body, &each.clauses, &each.otherwise, &each.last}) add_bindings(*block, out);
  }
}

// Returns true for the path of a name in a module, or in a module below it, which usually defines the name.
bool is_path_of(std::string_view path, const Exported& wanted) {
  if (wanted.name.empty()) return path == wanted.module;
  return path.starts_with(wanted.module) && path.substr(wanted.module.size()).starts_with('.') &&
         base::last_part(path) == wanted.name;
}

// Returns the name as the script has it; empty if the script does not import it.
std::string bound_name(const std::vector<Binding>& bindings, const Exported& wanted) {
  for (const auto& [origin, name] : bindings) {
    if (is_path_of(origin, wanted)) return name;
  }
  for (const auto& [origin, name] : bindings) {
    if (wanted.name.empty()) continue;
    if (origin == wanted.module) return fmt::format("{}.{}", name, wanted.name);
    if (name == "*" && origin == fmt::format("{}.*", wanted.module)) return std::string(wanted.name);
  }
  return {};
}

// Replaces names in code outside of strings, attributes and names of arguments.
class Names {
 public:
  Names(std::vector<Binding> bindings, std::span<const Exported> names)
      : bindings_(std::move(bindings)), names_(names) {}

  ScriptCode run(std::string_view code) {
    ScriptCode out;
    while (!code.empty()) {
      const std::size_t size = token_size(code);
      const std::string_view token = code.substr(0, size);
      code.remove_prefix(size);
      const bool attribute = out.text.ends_with('.');
      const bool argument = code.starts_with('=') && !code.starts_with("==");
      const Exported* found = attribute || argument ? nullptr : find(token);
      out.text += found == nullptr ? std::string(token) : replaced(*found, token);
    }
    if (!bindings_.empty()) out.imports = text_of_imports();
    return out;
  }

 private:
  // Returns the length of a name, a string or one other character.
  static std::size_t token_size(std::string_view code) {
    const char first = code.front();
    if (first == '"' || first == '\'') {
      const std::size_t end = code.find(first, 1);
      return end == std::string_view::npos ? code.size() : end + 1;
    }
    const auto end = std::ranges::find_if_not(code, base::is_name_letter);
    return std::max<std::size_t>(1, static_cast<std::size_t>(end - code.begin()));
  }

  [[nodiscard]] const Exported* find(std::string_view token) const {
    const auto found = std::ranges::find(names_, token, &Exported::word);
    return found == names_.end() ? nullptr : &*found;
  }

  std::string replaced(const Exported& name, std::string_view token) {
    std::string bound = bound_name(bindings_, name);
    if (!bound.empty()) return bound;
    if (std::ranges::find(missing_, name.word(), &Exported::word) == missing_.end()) missing_.push_back(name);
    return std::string(token);
  }

  // Returns one import for each module, in the order of the code.
  [[nodiscard]] std::string text_of_imports() const {
    std::vector<std::string> imports;
    for (std::size_t at = 0; at < missing_.size(); ++at) {
      const auto same = [&](const Exported& each) {
        return each.module == missing_[at].module && each.name.empty() == missing_[at].name.empty();
      };
      const auto here = std::ranges::find_if(missing_, same) - missing_.begin();
      if (static_cast<std::size_t>(here) == at) imports.push_back(fmt::format("`{}`", import_of(missing_[at])));
    }
    return imports.empty() ? std::string() : fmt::format(", with {}", base::join_and(imports));
  }

  [[nodiscard]] std::string import_of(const Exported& first) const {
    if (first.name.empty())
      return fmt::format("import {}{}{}", first.module, first.alias.empty() ? "" : " as ", first.alias);
    std::vector<std::string_view> names;
    for (const Exported& each : missing_) {
      if (each.module == first.module && !each.name.empty()) names.push_back(each.name);
    }
    return fmt::format("from {} import {}", first.module, fmt::join(names, ", "));
  }

  std::vector<Binding> bindings_;
  std::span<const Exported> names_;
  std::vector<Exported> missing_;
};

}  // namespace

std::string ScriptCode::shown() const { return fmt::format("`{}`{}", text, imports); }

static std::vector<Binding> bindings_of(std::string_view script) {
  std::vector<Binding> out;
  add_bindings(python::parse_script(script).statements, out);
  return out;
}

ScriptCode code_for(std::string_view script, std::string_view code, std::span<const Exported> names) {
  return Names(bindings_of(script), names).run(code);
}

// Returns the texts in backticks, one per line.
static std::string code_in(std::string_view help) {
  std::string out;
  for (std::size_t open = help.find('`'); open != std::string_view::npos; open = help.find('`', open)) {
    const std::size_t close = std::min(help.find('`', open + 1), help.size());
    out += fmt::format("{}\n", help.substr(open + 1, close - open - 1));
    open = std::min(close + 1, help.size());
  }
  return out;
}

void name_imports(std::string& help, std::string_view script, std::span<const Exported> names) {
  const std::string code = code_in(help);
  const bool used =
      std::ranges::any_of(names, [&](const Exported& each) { return code.find(each.word()) != std::string::npos; });
  if (used) help += code_for(script, code, names).imports;
}

}  // namespace sparsecfg::dialect::quantizers
