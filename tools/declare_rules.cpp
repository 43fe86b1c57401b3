// Writes the declarations of all rules and their list, sorted by code: the rows DIAGNOSTIC(...) in the files below a
// folder. The texts stay where they are, so that a changed sentence recompiles only its own file. Leaves an output
// untouched if its content is the same. diag/rule.h describes the rows.
//
//   declare_rules FOLDER DECLARATIONS LIST
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace {

struct Rule {
  std::string name;
  std::string types;       // of the arguments: "Text, int"
  std::string name_space;  // that contains the row
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
bool add_rules(const std::string& text, Rules& rules) {
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
      if (!rules.try_emplace(code, Rule{name, take_until(rest, ')'), name_space}).second) {
        std::cerr << "declare_rules: " << code << " is not unique\n";
        return false;
      }
    }
    if (text.find('\n', begin) == std::string::npos) break;
  }
  return true;
}

std::string declarations_of(const Rules& rules) {
  std::string out = "// Written by tools/declare_rules.cpp. Included by diag/catalog.h.\n";
  for (const auto& [code, rule] : rules) {
    const std::string info = rule.name + "_info";
    out += "namespace sparsecfg::" + rule.name_space + " { extern const ::sparsecfg::diag::Info " + info + "; }\n" +
           "namespace sparsecfg::diag { inline constexpr Def<" + rule.types + "> " + rule.name +
           "{::sparsecfg::" + rule.name_space + "::" + info + "}; }\n";
  }
  return out;
}

std::string list_of(const Rules& rules) {
  std::string out = "// Written by tools/declare_rules.cpp. Included by diag/catalog.cpp.\n";
  for (const auto& [code, rule] : rules) {
    out += "&::sparsecfg::" + rule.name_space + "::" + rule.name + "_info,\n";
  }
  return out;
}

bool write(const char* path, const std::string& text) {
  if (content_of(path) == text) return true;
  std::ofstream output(path);
  output << text;
  return !output.flush().fail();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: declare_rules FOLDER DECLARATIONS LIST\n";
    return 2;
  }
  Rules rules;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    const std::string extension = entry.path().extension().string();
    const bool source = extension == ".cpp" || extension == ".def";
    if (source && !add_rules(content_of(entry.path()), rules)) return 1;
  }
  return write(argv[2], declarations_of(rules)) && write(argv[3], list_of(rules)) ? 0 : 1;
}
