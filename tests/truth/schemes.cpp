#include "schemes.h"

#include <array>
#include <sstream>
#include <string_view>

namespace sparsecfg::truth {

// "group128" -> "in groups of 128", "block64x32" -> "in blocks of 64 x 32", "channel" -> "per channel"
static std::string strategy_words(const std::string& strategy) {
  for (const std::string_view prefix : {"tensor_group", "group"}) {
    if (strategy.starts_with(prefix)) return "in groups of " + strategy.substr(prefix.size());
  }
  constexpr std::string_view kBlock = "block";
  const std::size_t times = strategy.find('x');
  if (!strategy.starts_with(kBlock) || times == std::string::npos) return "per " + strategy;
  return "in blocks of " + strategy.substr(kBlock.size(), times - kBlock.size()) + " x " + strategy.substr(times + 1);
}

// "int8 token dynamic" -> "int8 per token, dynamic"
static std::string numbers_words(const std::string& text) {
  std::istringstream words(text);
  std::string type;
  std::string strategy;
  words >> type >> strategy;
  if (type.empty() || type == "-") return "";
  std::string out = type + " " + strategy_words(strategy);
  for (std::string word; words >> word;) {
    if (word == "asym") out += ", asymmetric";
    if (word == "dynamic" || word == "local") out += ", dynamic";
  }
  return out;
}

std::string scheme_words(const std::string& recorded) {
  constexpr std::array<std::string_view, 3> kParts = {"weights", "inputs", "outputs"};
  std::istringstream parts(recorded);
  std::string out;
  std::string part;
  for (const std::string_view name : kParts) {
    if (!std::getline(parts >> std::ws, part, ';')) break;
    const std::string numbers = numbers_words(part.substr(part.find(' ') + 1));
    if (numbers.empty()) continue;
    if (!out.empty()) out += "; ";
    out.append(name).append(" ").append(numbers);
  }
  return out;
}

std::map<std::string, std::size_t> layers_by_scheme(const Json& lines) {
  std::map<std::string, std::size_t> layers;
  for (const std::string line : lines) {
    const std::size_t colon = line.rfind(": ");
    layers[line.substr(0, colon)] += std::stoul(line.substr(colon + 2));
  }
  return layers;
}

}  // namespace sparsecfg::truth
