// Writes the declarations of the rules in diag/catalog/all.def, without their texts, so that a changed sentence
// recompiles only the catalog. Leaves the file untouched if the declarations are the same.
//
//   declare_rules OUTPUT
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

std::string declarations() {
  std::string text = "// Written by tools/declare_rules.cpp from diag/catalog/all.def. Included by diag/catalog.h.\n";
#define UNWRAPPED(...) #__VA_ARGS__
#define DIAGNOSTIC(CODE, NAME, SEVERITY, ARGS, ...) \
  text += "extern const Info " #NAME                \
          "_info;\n"                                \
          "inline constexpr Def<" UNWRAPPED ARGS "> " #NAME "{" #NAME "_info};\n";
#include "diag/catalog/all.def"
#undef DIAGNOSTIC
#undef UNWRAPPED
  return text;
}

std::string content_of(const char* path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: declare_rules OUTPUT\n";
    return 2;
  }
  const std::string text = declarations();
  if (content_of(argv[1]) == text) return 0;
  std::ofstream output(argv[1]);
  output << text;
  return output.flush() ? 0 : 1;
}
