#include "figures.h"

#include <fmt/format.h>

#include <iostream>

#include "source/save.h"
#include "tests/golden/cases.h"

namespace sparsecfg::truth {

// Returns the name of a framework as in texts.
static std::string title_of(const std::string& framework) {
  return Json::parse(golden::read_or_empty(root() + "/" + framework + "/framework.json")).at("title");
}

static std::size_t count(const Figures& figures, const std::string& check, Result result) {
  const auto found = figures.results.find(check);
  if (found == figures.results.end()) return 0;
  const auto number = found->second.find(result);
  return number == found->second.end() ? 0 : number->second;
}

static const char* key_of(Result result) {
  switch (result) {
    case Result::agrees: return "agree";
    case Result::silent_loss: return "silent loss";
    case Result::not_knowable: return "not knowable";
    case Result::differs: return "differ";
  }
  return "";
}

static Json as_json(const AllFigures& all) {
  Json json = Json::object();
  for (const auto& [framework, figures] : all) {
    json[framework]["cases"] = figures.cases;
    for (const Check& check : checks()) {
      const auto found = figures.results.find(check.name);
      if (found == figures.results.end()) continue;
      for (const auto& [result, number] : found->second) json[framework][check.name][key_of(result)] = number;
    }
  }
  return json;
}

static const std::set<std::string> kInTheirOwnColumns = {"verdict", "detection", "timeline"};

// Returns how many other comparisons were equal, and how many were not.
static std::pair<std::size_t, std::size_t> further(const Figures& figures) {
  std::pair<std::size_t, std::size_t> sum;
  for (const Check& check : checks()) {
    if (kInTheirOwnColumns.contains(check.name)) continue;
    sum.first += count(figures, check.name, Result::agrees);
    sum.second += count(figures, check.name, Result::differs);
  }
  return sum;
}

static std::string table_of(const AllFigures& all) {
  std::string text =
      "| | cases | same verdict | silent loss | not knowable | other verdict | dialect detected | "
      "timelines equal | different | other comparisons equal | different |\n| --- | --- | --- | --- | --- | --- | --- "
      "| --- | --- | --- | --- |\n";
  for (const auto& [framework, figures] : all) {
    const auto [equal, different] = further(figures);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", title_of(framework), figures.cases,
                    count(figures, "verdict", Result::agrees), count(figures, "verdict", Result::silent_loss),
                    count(figures, "verdict", Result::not_knowable), count(figures, "verdict", Result::differs),
                    count(figures, "detection", Result::agrees), count(figures, "timeline", Result::agrees),
                    count(figures, "timeline", Result::differs), equal, different);
  }
  return text;
}

// Replaces what is between two marks in a text.
static std::string with_table(const std::string& text, const std::string& table) {
  const std::string begin = "<!-- begin of the table that the test `truth` generates -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end of the table -->", from);
  if (from == std::string::npos || to == std::string::npos) return "";
  return text.substr(0, from + begin.size()) + "\n" + table + "\n" + text.substr(to);
}

static bool is_current(const std::string& path, const std::string& old, const std::string& text, bool update) {
  if (old == text) return true;
  if (!update) {
    std::cout << path << " is not current: run `truth --update` and review the change\n";
    return false;
  }
  if (const auto failure = source::write_file(path, text)) {
    std::cout << *failure << '\n';
    return false;
  }
  return true;
}

bool publish(const AllFigures& figures, bool update) {
  const std::string record = SPARSECFG_ROOT "/tests/agreement.json";
  const std::string page = SPARSECFG_ROOT "/docs/how-it-is-tested.md";
  const std::string old_record = golden::read_or_empty(record);
  Json json = Json::parse(old_record);
  json["handwritten"] = as_json(figures);
  const std::string old_page = golden::read_or_empty(page);
  const bool recorded = is_current(record, old_record, json.dump(1) + "\n", update);
  return is_current(page, old_page, with_table(old_page, table_of(figures)), update) && recorded;
}

}  // namespace sparsecfg::truth
