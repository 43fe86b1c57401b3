#include "model/matcher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "regex/pattern.h"

namespace sparsecfg::model {

using regex::Match;

Matcher::Matcher(const Selector& selector, Classes classes) : classes_(classes), narrowed_(!selector.excluded.empty()) {
  for (const Term& term : selector.terms) add(term);
}

Matcher::Matcher(std::string pattern) { add_pattern(pattern); }

void Matcher::add(const Term& term) {
  switch (term.kind) {
    case Term::Kind::all: all_ = true; break;
    case Term::Kind::exact: names_.insert(term.text); break;
    case Term::Kind::part: texts_.push_back(term.text); break;
    case Term::Kind::pattern: add_pattern(term.text); break;
    case Term::Kind::module_type: types_.insert(term.text); [[fallthrough]];
    case Term::Kind::all_prunable:
    case Term::Kind::all_quantizable: open_ = true; break;
  }
}

void Matcher::add_pattern(const std::string& text) {
  auto compiled = regex::Pattern::compile(text, regex::Anchoring::start);
  if (auto* pattern = std::get_if<regex::Pattern>(&compiled)) {
    patterns_.push_back(std::move(*pattern));
    return;
  }
  error_ = std::get<regex::SyntaxError>(std::move(compiled));
  open_ = true;
}

bool Matcher::is_part(std::string_view name) const {
  return std::ranges::any_of(texts_, [&](const std::string& text) { return text.find(name) != std::string::npos; });
}

Match Matcher::match(std::string_view name) const {
  bool certain = !open_;
  bool taken = all_ || is_part(name) || names_.contains(name);
  for (std::size_t at = 0; !taken && at < patterns_.size(); ++at) {
    const Match match = patterns_[at].match(name);
    taken = match == Match::yes;
    certain = certain && match != Match::gave_up;
  }
  return taken ? (narrowed_ || open_ ? Match::gave_up : Match::yes) : (certain ? Match::no : Match::gave_up);
}

bool Matcher::takes(std::string_view name) const {
  const auto matches = [&](const regex::Pattern& pattern) { return pattern.match(name) == Match::yes; };
  return all_ || names_.contains(name) || is_part(name) || std::ranges::any_of(patterns_, matches);
}

bool Matcher::takes(const Module& module) const {
  const auto is_type = [&](std::string_view type) { return types_.contains(type); };
  const auto has_type = [&] {
    return classes_ == nullptr ? is_type(module.type) : std::ranges::any_of(classes_(module), is_type);
  };
  return (!types_.empty() && has_type()) || takes(module.name);
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
