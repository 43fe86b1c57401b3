// Reads lines with a script as a JSON string, and answers each with {"fault": message or null, "line": number}.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "python/tree.h"

using nlohmann::json;

static json answer(const std::string& text) {
  const auto script = sparsecfg::python::parse_script(text);
  if (!script.fault) return {{"fault", nullptr}, {"line", nullptr}};
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(script.fault->offset, text.size()));
  return {{"fault", script.fault->message}, {"line", 1 + std::count(text.begin(), end, '\n')}};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(json::parse(line).get<std::string>()) << '\n';
  }
}
