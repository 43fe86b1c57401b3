#include "outcomes.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

namespace sparsecfg::truth {

// Returns the names of a pattern such as "a.{0-2,5}.b".
static std::vector<std::string> expanded(const std::string& pattern) {
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {pattern};
  std::vector<std::string> out;
  std::istringstream parts(pattern.substr(open + 1, close - open - 1));
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const int last = std::stoi(dash == std::string::npos ? part : part.substr(dash + 1));
    for (int number = std::stoi(part); number <= last; ++number) {
      const std::string name = pattern.substr(0, open) + std::to_string(number) + pattern.substr(close + 1);
      for (std::string& each : expanded(name)) out.push_back(std::move(each));
    }
  }
  return out;
}

std::map<std::string, std::string> recorded_outcome(const Json& outcome) {
  std::map<std::string, std::string> out;
  for (const auto& [scheme, patterns] : outcome.items()) {
    for (const std::string pattern : patterns) {
      for (const std::string& name : expanded(pattern)) out[name] = scheme;
    }
  }
  return out;
}

static std::string format_text(const Json& format) {
  const Json& block = format["block"];
  const Json& group = format["group_size"];
  const std::string shared = block.is_array()    ? fmt::format("{}x{}", block[0].dump(), block[1].dump())
                             : group.is_number() ? group.dump()
                                                 : "-";
  return fmt::format("{}{}/{}", format["type"].get<std::string>(), format["bits"].dump(), shared);
}

std::string scheme_text(const Json& outcome) {
  if (!outcome.is_object()) return "-";
  const Json weights = outcome.value("weights", Json());
  const Json inputs = outcome.value("inputs", Json());
  if (weights.is_null() && inputs.is_null()) return "-";
  std::string out = weights.is_null() ? "-" : format_text(weights);
  if (!inputs.is_null()) out += "+" + inputs["bits"].dump();
  return out;
}

bool is_recorded(const std::string& scheme, const std::string& recorded) {
  if (recorded == "?" || scheme == recorded) return true;
  const bool any_inputs = recorded.ends_with("+?");
  std::string own = any_inputs ? scheme.substr(0, scheme.find('+')) : scheme;
  const std::string want = any_inputs ? recorded.substr(0, recorded.size() - 2) : recorded;
  const bool any_type = !want.empty() && (want.front() < 'a' || want.front() > 'z') && want != "-";
  if (any_type) own.erase(0, own.find_first_of("0123456789"));
  return own == want || (want.find('/') == std::string::npos && own.starts_with(want + "/"));
}

}  // namespace sparsecfg::truth
