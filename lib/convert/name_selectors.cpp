#include "convert/name_selectors.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/text.h"

namespace sparsecfg::convert {

using dialect::NameSelector;

// Names with more parts are only selected by their full names.
constexpr std::size_t kMaxParts = 12;

static bool is_number(std::string_view part) { return !part.empty() && std::ranges::all_of(part, base::is_digit); }

// Returns the places of the dots of a name.
static std::vector<std::size_t> dots_of(std::string_view name) {
  std::vector<std::size_t> out;
  for (std::size_t at = name.find('.'); at != std::string_view::npos; at = name.find('.', at + 1)) out.push_back(at);
  return out;
}

// Returns the selectors that match a module and that could match others: those without numbers at their ends, from
// short to long. The full name is not among them.
static std::vector<NameSelector> candidates_of(std::string_view name) {
  std::vector<NameSelector> out;
  const std::vector<std::size_t> dots = dots_of(name);
  if (dots.size() > kMaxParts) return out;
  std::vector<std::string> tails;
  for (auto dot = dots.rbegin(); dot != dots.rend(); ++dot) {
    const std::string_view tail = name.substr(*dot + 1);
    if (is_number(tail.substr(0, tail.find('.')))) break;
    tails.emplace_back(tail);
  }
  std::vector<std::string> around;
  for (const std::size_t dot : dots) {
    const std::string_view inside = name.substr(0, dot);
    if (is_number(base::last_part(inside))) break;
    around.emplace_back(inside);
  }
  for (const std::string& tail : tails) out.push_back({{}, {}, tail});
  for (const std::string& inside : around) {
    for (const std::string& tail : tails) {
      if (inside.size() + tail.size() + 2 < name.size()) out.push_back({{}, inside, tail});
    }
  }
  for (const std::string& inside : around) out.push_back({{}, inside, {}});
  return out;
}

std::vector<std::vector<NameSelector>> name_selectors(const std::vector<model::Module>& modules,
                                                      const GroupNumbers& numbers, std::size_t groups,
                                                      std::size_t contains_others) {
  // For each candidate, the groups of the modules that it matches.
  std::map<NameSelector, std::set<std::size_t>> matched;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    for (NameSelector& candidate : candidates_of(modules[at].name)) matched[std::move(candidate)].insert(numbers[at]);
  }
  const auto is_pure = [&](const NameSelector& candidate, std::size_t group) {
    const std::set<std::size_t>& found = matched.at(candidate);
    return std::ranges::all_of(
        found, [&](std::size_t each) { return each == group || (each == kNoGroup && group == contains_others); });
  };
  std::vector<std::vector<NameSelector>> out(groups);
  std::vector<std::set<NameSelector>> known(groups);
  for (std::size_t at = 0; at < modules.size(); ++at) {
    const std::size_t group = numbers[at];
    if (group == kNoGroup) continue;
    const std::vector<NameSelector> candidates = candidates_of(modules[at].name);
    const auto found = std::ranges::find_if(candidates, [&](const NameSelector& each) { return is_pure(each, group); });
    NameSelector selector = found == candidates.end() ? NameSelector{modules[at].name, {}, {}} : *found;
    if (known[group].insert(selector).second) out[group].push_back(std::move(selector));
  }
  return out;
}

}  // namespace sparsecfg::convert
