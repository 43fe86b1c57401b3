#include "dialect/nni/reach.h"

#include <algorithm>

#include "ir/comparing.h"

namespace sparsecfg::dialect::nni {

using ir::Term;

static std::set<std::string> words_of(const Entry& entry, const source::Map& fields, std::string_view key) {
  std::set<std::string> words;
  for (const auto& text : texts_of(fields, key)) {
    if (entry.valid) words.insert(text.value);
  }
  return words;
}

static void add_names(ir::Selector& selector, const std::set<std::string>& texts, Term::Kind kind) {
  selector.over = ir::Selector::Over::modules;
  for (const std::string& text : texts) {
    selector.terms.push_back({kind, text, {}});
  }
}

Reach Reach::of(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, entry.fields, "op_types");
  add_names(reach.names_, words_of(entry, entry.fields, "op_names"), Term::Kind::exact);
  add_names(reach.names_, words_of(entry, entry.fields, "op_names_re"), Term::Kind::pattern);
  for (const std::string key : {"exclude_op_types", "exclude_op_names", "exclude_op_names_re"}) {
    for (const std::string& word : words_of(entry, entry.fields, key)) reach.excluded_.emplace(key, word);
  }
  reach.targets_ = words_of(entry, entry.fields, "target_names");
  reach.more_targets_ = has(entry.fields, "target_settings");
  return reach;
}

Reach Reach::of_older(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, entry.written, "op_types");
  if (reach.types_.contains("default")) {
    reach.types_.insert(weighted_types().begin(), weighted_types().end());
  }
  std::set<std::string> patterns;
  for (const std::string& part : words_of(entry, entry.written, "op_partial_names")) {
    patterns.insert(".*" + escaped(part));
  }
  add_names(reach.names_, words_of(entry, entry.written, "op_names"), Term::Kind::exact);
  add_names(reach.names_, patterns, Term::Kind::pattern);
  return reach;
}

// Returns true if a reach leaves out nothing of the other by its targets and exclusions.
bool Reach::keeps(const Reach& other) const {
  const bool defaults = targets_.empty() && other.targets_.empty() && !other.more_targets_;
  const bool targets = defaults || (!other.targets_.empty() && std::ranges::includes(targets_, other.targets_));
  return targets && std::ranges::includes(other.excluded_, excluded_) && (!types_.empty() || !names_.terms.empty());
}

// Of modules of one type, or of any where the other asks for none.
bool Reach::cover_type(const std::vector<const Reach*>& reaches, const Reach& other, const std::string* type,
                       regex::Budget& budget) {
  ir::Selector names;
  names.over = ir::Selector::Over::modules;
  for (const Reach* reach : reaches) {
    const bool fits = reach->types_.empty() || (type != nullptr && reach->types_.contains(*type));
    if (!fits || !reach->keeps(other)) {
      continue;
    }
    if (reach->names_.terms.empty()) {
      return true;
    }
    names.terms.insert(names.terms.end(), reach->names_.terms.begin(), reach->names_.terms.end());
  }
  return !names.terms.empty() && !other.names_.terms.empty() &&
         ir::contains(ir::Selection(names), ir::Selection(other.names_), budget).answer ==
             regex::Comparison::Answer::yes;
}

bool Reach::cover(const std::vector<const Reach*>& reaches, const Reach& other, regex::Budget& budget) {
  if (other.types_.empty()) {
    return !other.names_.terms.empty() && cover_type(reaches, other, nullptr, budget);
  }
  return std::ranges::all_of(other.types_,
                             [&](const std::string& type) { return cover_type(reaches, other, &type, budget); });
}

}  // namespace sparsecfg::dialect::nni
