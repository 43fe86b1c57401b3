// Writes the declarations of all rules and their list, sorted by code: the rows DIAGNOSTIC(...) in the files below a
// folder. The texts stay where they are, so that a changed sentence recompiles only its own file. Each dialect has its
// own header, so that a new rule recompiles only the files that use rules of the same dialect. Leaves an output
// untouched if its content is the same. diag/rule.h describes the rows.
//
//   declare_rules FOLDER OUTPUT DIALECT...
//
// writes OUTPUT/dialect/DIALECT/codes.h with the rules below FOLDER/dialect/DIALECT, OUTPUT/diag/rules.h with all other
// rules, and OUTPUT/diag/rule_list.h with the list. OUTPUT/dialect/row_names.h has the names of all rows of fields,
// so that the compiler finds misspelled names (dialect/record/record.h).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Rule {
  std::string name;
  std::string types;       // of the arguments: "Text, int"
  std::string name_space;  // that contains the row
  std::string dialect;     // empty for rules of several dialects
};

using Rules = std::map<std::string, Rule>;  // by code

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

// Removes the text before `end` and `end` itself from `rest`. Returns that text without blanks around it.
std::string take_until(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  std::string_view text = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  const std::size_t first = std::min(text.find_first_not_of(" \n"), text.size());
  text = text.substr(first, text.find_last_not_of(" \n") + 1 - first);
  return std::string(text);
}

// Adds the rows of a file. Returns false if a code is not unique.
bool add_rules(const std::string& text, const std::string& dialect, Rules& rules) {
  static constexpr std::string_view kRow = "DIAGNOSTIC(";
  static constexpr std::string_view kNamespace = "namespace sparsecfg::";
  std::string name_space = "diag";  // of rows in a file that diag/catalog.cpp includes
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    std::string_view rest = std::string_view(text).substr(begin);
    if (rest.starts_with(kNamespace)) {
      rest.remove_prefix(kNamespace.size());
      name_space = take_until(rest, ' ');
    } else if (rest.starts_with(kRow)) {
      rest.remove_prefix(kRow.size());
      const std::string code = take_until(rest, ',');
      const std::string name = take_until(rest, ',');
      take_until(rest, '(');
      if (!rules.try_emplace(code, Rule{name, take_until(rest, ')'), name_space, dialect}).second) {
        std::cerr << "declare_rules: " << code << " is the code of `" << rules.at(code).name << "` and of `" << name
                  << "`\n";
        return false;
      }
    }
    if (text.find('\n', begin) == std::string::npos) break;
  }
  return true;
}

// Adds the names of rows: `.name = "block_size"`.
void add_names(std::string_view text, std::set<std::string>& names) {
  static constexpr std::string_view kName = ".name = \"";
  for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + 1)) {
    std::string_view rest = text.substr(at + kName.size());
    names.insert(take_until(rest, '"'));
  }
}

std::string names_of(const std::set<std::string>& names) {
  std::string out =
      "// Written by tools/declare_rules.cpp.\n#pragma once\n\n#include <string_view>\n\n"
      "namespace sparsecfg::dialect {\n\ninline constexpr std::string_view kRowNames[] = {\n";
  for (const std::string& name : names) out += "    \"" + name + "\",\n";
  return out + "};\n\n}  // namespace sparsecfg::dialect\n";
}

std::string declaration_of(const Rule& rule) {
  return "namespace sparsecfg::" + rule.name_space + " { extern const ::sparsecfg::diag::Info " + rule.name +
         "_info; }\n";
}

std::string header_of(const Rules& rules, const std::string& dialect) {
  std::string out = "// Written by tools/declare_rules.cpp.\n";
  out += dialect.empty() ? "// Included by diag/catalog.h.\n" : "#pragma once\n\n#include \"diag/catalog.h\"\n\n";
  for (const auto& [code, rule] : rules) {
    if (rule.dialect != dialect) continue;
    out += declaration_of(rule) + "namespace sparsecfg::diag { inline constexpr Def<" + rule.types + "> " + rule.name +
           "{::sparsecfg::" + rule.name_space + "::" + rule.name + "_info}; }\n";
  }
  return out;
}

std::string list_of(const Rules& rules) {
  std::string out = "// Written by tools/declare_rules.cpp. Included by diag/catalog.cpp.\n";
  for (const auto& [code, rule] : rules) out += declaration_of(rule);
  out += "namespace sparsecfg::diag {\nconstexpr const Info* kCatalog[] = {\n";
  for (const auto& [code, rule] : rules) {
    out += "    &::sparsecfg::" + rule.name_space + "::" + rule.name + "_info,\n";
  }
  return out + "};\n}\n";
}

bool write(const std::filesystem::path& path, const std::string& text) {
  if (content_of(path) == text) return true;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream output(path);
  output << text;
  return !output.flush().fail();
}

// Returns the dialect whose folder contains a file, or an empty string.
std::string dialect_of(const std::filesystem::path& file, const std::vector<std::string>& dialects) {
  for (const std::string& dialect : dialects) {
    if (file.generic_string().find("/dialect/" + dialect + "/") != std::string::npos) return dialect;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: declare_rules FOLDER OUTPUT DIALECT...\n";
    return 2;
  }
  const std::filesystem::path output = argv[2];
  const std::vector<std::string> dialects(argv + 3, argv + argc);
  Rules rules;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    const std::string extension = entry.path().extension().string();
    const bool row = extension == ".cpp" || extension == ".h";
    if (row) add_names(content_of(entry.path()), names);
    const bool source = extension == ".cpp" || extension == ".def";
    if (source && !add_rules(content_of(entry.path()), dialect_of(entry.path(), dialects), rules)) return 1;
  }
  bool written = write(output / "diag/rules.h", header_of(rules, "")) &&
                 write(output / "diag/rule_list.h", list_of(rules)) &&
                 write(output / "dialect/row_names.h", names_of(names));
  for (const std::string& dialect : dialects) {
    written = written && write(output / "dialect" / dialect / "codes.h", header_of(rules, dialect));
  }
  return written ? 0 : 1;
}
