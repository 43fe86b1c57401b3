#include "cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/golden/cases.h"

namespace sparsecfg::truth {

namespace fs = std::filesystem;

std::string root() { return std::string(golden::testdata()) + "/truth"; }

std::vector<Json> read_lines(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(Json::parse(line));
  }
  return lines;
}

Strings frameworks() {
  Strings names;
  for (const auto& each : fs::directory_iterator(root())) {
    if (fs::exists(each.path() / "framework.json")) names.push_back(each.path().filename().native());
  }
  std::ranges::sort(names);
  return names;
}

// A line of match.jsonl names a list of modules and patterns. Its number in the file is its name.
static Case match_case(const std::string& framework, std::size_t number, Json line) {
  return {framework, fmt::format("match-{}", number), {{"match", std::move(line)}}};
}

std::vector<Case> cases_of(const std::string& framework) {
  const std::string folder = root() + "/" + framework;
  std::vector<Case> cases;
  for (Json& line : read_lines(folder + "/cases.jsonl")) {
    const std::string id = line.at("id").get<std::string>();
    cases.push_back({framework, id, std::move(line)});
  }
  std::size_t number = 0;
  for (Json& line : read_lines(folder + "/match.jsonl")) {
    cases.push_back(match_case(framework, ++number, std::move(line)));
  }
  return cases;
}

std::set<std::string> silent_losses() {
  std::set<std::string> codes;
  std::ifstream in(root() + "/silent-losses.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    for (std::string code; words >> code;) codes.insert(code);
  }
  return codes;
}

}  // namespace sparsecfg::truth
