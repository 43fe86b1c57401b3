#include "model/name_matcher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "regex/sample.h"

namespace sparsecfg::model {

using regex::Match;

NameMatcher::NameMatcher(const Selector& selector) : narrowed_(!selector.excluded.empty()) {
  for (const Term& term : selector.terms) {
    switch (term.kind) {
      case Term::Kind::all: all_ = true; break;
      case Term::Kind::exact: names_.push_back(term.text); break;
      case Term::Kind::part: texts_.push_back(term.text); break;
      case Term::Kind::all_prunable:
      case Term::Kind::all_quantizable:
      case Term::Kind::module_type: open_ = true; break;
      case Term::Kind::pattern: {
        auto compiled = regex::Pattern::compile(term.text, regex::Anchoring::start);
        auto* pattern = std::get_if<regex::Pattern>(&compiled);
        open_ = open_ || pattern == nullptr;
        if (pattern != nullptr) patterns_.push_back(std::move(*pattern));
      }
    }
  }
}

bool NameMatcher::is_part(const std::string& name) const {
  return std::ranges::any_of(texts_, [&](const std::string& text) { return text.find(name) != std::string::npos; });
}

Match NameMatcher::match(const std::string& name) const {
  bool certain = !open_;
  bool taken = all_ || is_part(name) || std::ranges::find(names_, name) != names_.end();
  for (std::size_t at = 0; !taken && at < patterns_.size(); ++at) {
    const Match match = patterns_[at].match(name);
    taken = match == Match::yes;
    certain = certain && match != Match::gave_up;
  }
  return taken ? (narrowed_ || open_ ? Match::gave_up : Match::yes) : (certain ? Match::no : Match::gave_up);
}

std::string name_taken_by(const Term& term) {
  std::string name;
  if (term.kind == Term::Kind::exact) name = term.text;
  if (term.kind == Term::Kind::pattern) {
    auto sample = regex::sample_of(term.text, "a");
    if (sample) name = std::move(sample->text);
  }
  return name.find('\n') == std::string::npos ? name : std::string();
}

}  // namespace sparsecfg::model
