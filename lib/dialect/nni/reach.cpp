#include "dialect/nni/reach.h"

#include <algorithm>

#include "model/comparing.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::nni {

using model::Term;

static std::set<std::string> words_of(const Entry& entry, const source::Map& fields, std::string_view key) {
  std::set<std::string> words;
  for (const auto& text : texts_of(fields, key)) {
    if (entry.valid) words.insert(text.value);
  }
  return words;
}

void Reach::add_names(const std::set<std::string>& texts, Term::Kind kind) {
  names_.over = model::Selector::Over::modules;
  for (const std::string& text : texts) {
    names_.terms.push_back({kind, text, {}});
  }
}

// Prepares sample names. In most cases they show that something is not covered, faster than a comparison of patterns.
void Reach::prepare() {
  matcher_ = std::make_shared<const model::Matcher>(names_);
  std::ranges::transform(names_.terms, std::back_inserter(samples_), model::name_taken_by);
  std::erase(samples_, "");
}

Reach Reach::of(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, entry.fields, "op_types");
  reach.add_names(words_of(entry, entry.fields, "op_names"), Term::Kind::exact);
  reach.add_names(words_of(entry, entry.fields, "op_names_re"), Term::Kind::pattern);
  reach.prepare();
  for (const std::string key : {"exclude_op_types", "exclude_op_names", "exclude_op_names_re"}) {
    for (const std::string& word : words_of(entry, entry.fields, key)) reach.excluded_.emplace(key, word);
  }
  reach.targets_ = words_of(entry, entry.fields, "target_names");
  reach.more_targets_ = has(entry.fields, "target_settings");
  return reach;
}

Reach Reach::of_older(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, *entry.written, "op_types");
  if (reach.types_.contains("default")) {
    reach.types_.insert(weighted_types().begin(), weighted_types().end());
  }
  std::set<std::string> patterns;
  for (const std::string& part : words_of(entry, *entry.written, "op_partial_names")) {
    patterns.insert(".*" + regex::literal(part));
  }
  reach.add_names(words_of(entry, *entry.written, "op_names"), Term::Kind::exact);
  reach.add_names(patterns, Term::Kind::pattern);
  reach.prepare();
  return reach;
}

// Returns true if targets and exclusions do not remove anything that `other` selects.
bool Reach::keeps(const Reach& other) const {
  const bool defaults = targets_.empty() && other.targets_.empty() && !other.more_targets_;
  const bool targets = defaults || (!other.targets_.empty() && std::ranges::includes(targets_, other.targets_));
  return targets && std::ranges::includes(other.excluded_, excluded_) && (!types_.empty() || !names_.terms.empty());
}

// Compares modules of one type, or of every type if `other` is not restricted by type.
bool Reach::cover_type(const std::vector<const Reach*>& reaches, const Reach& other, const std::string* type,
                       base::Budget& budget) {
  model::Selector names;
  names.over = model::Selector::Over::modules;
  std::vector<const model::Matcher*> matchers;
  for (const Reach* reach : reaches) {
    const bool fits = reach->types_.empty() || (type != nullptr && reach->types_.contains(*type));
    if (!fits || !reach->keeps(other)) {
      continue;
    }
    if (reach->names_.terms.empty()) {
      return true;
    }
    names.terms.insert(names.terms.end(), reach->names_.terms.begin(), reach->names_.terms.end());
    matchers.push_back(reach->matcher_.get());
  }
  const auto leaves_out = [&](const std::string& name) {
    return std::ranges::all_of(matchers, [&](const auto* each) { return each->match(name) == regex::Match::no; });
  };
  return !names.terms.empty() && !other.names_.terms.empty() && std::ranges::none_of(other.samples_, leaves_out) &&
         model::contains(model::Selection(names), model::Selection(other.names_), budget).answer ==
             regex::Comparison::Answer::yes;
}

bool Reach::cover(const std::vector<const Reach*>& reaches, const Reach& other, base::Budget& budget) {
  if (other.types_.empty()) {
    return !other.names_.terms.empty() && cover_type(reaches, other, nullptr, budget);
  }
  return std::ranges::all_of(other.types_,
                             [&](const std::string& type) { return cover_type(reaches, other, &type, budget); });
}

}  // namespace sparsecfg::dialect::nni
