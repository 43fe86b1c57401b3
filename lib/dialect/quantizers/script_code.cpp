#include "dialect/quantizers/script_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace sparsecfg::dialect::quantizers {

namespace {

// Returns true for the path of a name in a module, or in a module below it, which usually defines the name.
bool is_path_of(std::string_view path, const Exported& wanted) {
  if (wanted.name.empty()) return path == wanted.module;
  return path.starts_with(wanted.module) && path.substr(wanted.module.size()).starts_with('.') &&
         base::last_part(path) == wanted.name;
}

// Returns the name as the script has it; empty if the script does not import it.
std::string bound_name(const python::ImportedNames& imported, const Exported& wanted) {
  for (const auto& [origin, name] : imported) {
    if (is_path_of(origin, wanted)) return name;
  }
  for (const auto& [origin, name] : imported) {
    if (wanted.name.empty()) continue;
    if (origin == wanted.module) return fmt::format("{}.{}", name, wanted.name);
    if (name == "*" && origin == fmt::format("{}.*", wanted.module)) return std::string(wanted.name);
  }
  return {};
}

// Replaces names in code outside of strings, attributes and names of arguments.
class Names {
 public:
  Names(const python::ImportedNames& imported, std::span<const Exported> names) : imported_(imported), names_(names) {}

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
    if (!imported_.empty()) out.imports = text_of_imports();
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
    std::string bound = bound_name(imported_, name);
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

  const python::ImportedNames& imported_;
  std::span<const Exported> names_;
  std::vector<Exported> missing_;
};

}  // namespace

std::string ScriptCode::shown() const { return fmt::format("`{}`{}", text, imports); }

ScriptCode code_for(const python::ImportedNames& imported, std::string_view code, std::span<const Exported> names) {
  return Names(imported, names).run(code);
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

void name_imports(std::string& help, const source::SourceFile& script, std::span<const Exported> names) {
  const std::string code = code_in(help);
  const bool used =
      std::ranges::any_of(names, [&](const Exported& each) { return code.find(each.word()) != std::string::npos; });
  if (used) help += code_for(python::imported_names(script), code, names).imports;
}

}  // namespace sparsecfg::dialect::quantizers
