#include "model/impossible_name.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "model/plain_pattern.h"
#include "regex/compare.h"
#include "regex/sample.h"

namespace sparsecfg::model {

using regex::Nfa;
using Answer = regex::Comparison::Answer;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Returns true if a name has nonempty parts without blanks, separated by single dots.
static bool is_well_formed(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && !name.ends_with('.') && name.find("..") == name.npos &&
         std::ranges::none_of(name, is_blank);
}

// Returns true if a sample of the pattern is well-formed, which is a thousand times faster than comparing automata.
static bool has_well_formed_sample(const std::string& pattern) {
  const auto fits = [&](const char* wild) {
    const auto sample = regex::sample_of(pattern, wild);
    return is_well_formed(PlainPattern(pattern, wild).sample("a")) ||
           (sample && (is_well_formed(sample->text) || (sample->open && is_well_formed(sample->text + "a"))));
  };
  return fits("a") || fits("a.");
}

static Impossible malformed(const std::string& text) {
  if (std::ranges::none_of(text, is_blank)) {
    return {"names cannot start or end with `.` or contain `..`", true};
  }
  std::string meant = text;
  std::erase_if(meant, is_blank);
  return {"names cannot contain blanks", true, std::move(meant)};
}

static std::optional<Impossible> impossible_pattern(const std::string& pattern, regex::Budget& budget) {
  if (has_well_formed_sample(pattern)) {
    return std::nullopt;
  }
  const auto language = Nfa::of(pattern, regex::Anchoring::start);
  const auto* names = std::get_if<Nfa>(&language);
  const auto accepts_none_of = [&](const Nfa& others) {
    return names != nullptr && regex::intersects(*names, others, budget).answer == Answer::no;
  };
  if (accepts_none_of(Nfa::everything())) {
    return Impossible{"it requires text before the start or after the end of a name", true};
  }
  const auto well_formed = Nfa::of("[^\\s.]+(?:\\.[^\\s.]+)*", regex::Anchoring::both);
  return accepts_none_of(std::get<Nfa>(well_formed)) ? std::optional(malformed(pattern)) : std::nullopt;
}

static std::optional<Impossible> impossible_exact(const std::string& name, Selector::Over over, bool pytorch) {
  if (base::find_invalid_utf8(name) != name.size()) {
    return std::nullopt;
  }
  if (!is_well_formed(name)) {
    return malformed(name);
  }
  if (over == Selector::Over::parameters && pytorch && name.find('/') != std::string::npos) {
    return Impossible{"PyTorch separates the parts of names with `.`, as in `conv1.weight`"};
  }
  const bool parameter = name.ends_with(".weight") || name.ends_with(".bias");
  if (over == Selector::Over::modules && parameter) {
    return Impossible{"it ends with a parameter name, but module names are required", false,
                      name.substr(0, name.rfind('.'))};
  }
  return std::nullopt;
}

std::optional<Impossible> impossible_name(const Term& term, Selector::Over over, const std::string& framework,
                                          regex::Budget& budget) {
  if (term.text.empty()) {
    return std::nullopt;
  }
  switch (term.kind) {
    case Term::Kind::exact: return impossible_exact(term.text, over, framework.empty());
    case Term::Kind::pattern: return impossible_pattern(term.text, budget);
    default: return std::nullopt;
  }
}

}  // namespace sparsecfg::model
