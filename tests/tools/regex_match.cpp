// Reads lines {"pattern": ..., "anchoring": "start" or "both", "subjects": [...]} and answers each
// with {"error": ..., "offset": ...} or {"matches": ["yes", "no" or "gave up", ...]}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "regex/pattern.h"

using nlohmann::json;
namespace regex = sparsecfg::regex;

static const char* name_of(regex::Match match) {
  switch (match) {
    case regex::Match::yes: return "yes";
    case regex::Match::no: return "no";
    case regex::Match::gave_up: return "gave up";
  }
  return "";
}

static json answer(const json& question) {
  const auto anchoring = question.at("anchoring") == "both" ? regex::Anchoring::both : regex::Anchoring::start;
  const auto compiled = regex::Pattern::compile(question.at("pattern").get<std::string>(), anchoring);
  if (const auto* error = std::get_if<regex::SyntaxError>(&compiled)) {
    return {{"error", error->message}, {"offset", error->offset}};
  }
  json matches = json::array();
  for (const auto& subject : question.at("subjects")) {
    matches.push_back(name_of(std::get<regex::Pattern>(compiled).match(subject.get<std::string>())));
  }
  return {{"matches", matches}};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(json::parse(line)) << '\n';
  }
}
